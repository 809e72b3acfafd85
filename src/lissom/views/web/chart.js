// Curves over time on a canvas, with a cursor at the present time.

const MARGIN = { left: 52, right: 12, top: 22, bottom: 30 };
const SERIES = ["#1f86c9", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a7a7a", "#a89f00"];

// about `count` round numbers between two values
function ticks(low, high, count) {
    const rough = (high - low) / count;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((x) => x * power >= rough);
    const out = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) out.push(k * step);
    return out;
}

// digits behind the point, and no -0.00
const fixed = (x, digits) => (Math.abs(x) < 0.5 * 10 ** -digits ? 0 : x).toFixed(digits);

const short = (x) => (Math.abs(x) < 1e-12 ? "0" : String(Number(x.toPrecision(3))));

function curveOf(row) {
    const t = floats(row.t);
    const series = row.series.map((one) => ({ name: one.name, y: floats(one.y) }));
    return { label: row.label, unit: row.unit, t, series };
}

function rangeOf(curves) {
    let [low, high] = [Infinity, -Infinity];
    for (const curve of curves)
        for (const { y } of curve.series)
            for (const x of y) if (Number.isFinite(x)) [low, high] = [Math.min(low, x), Math.max(high, x)];
    if (!(low <= high)) return [-1, 1];
    const pad = 0.06 * (high - low) || Math.abs(high) || 1;
    return [low - pad, high + pad];
}

// value of samples y at time x, between its neighbours
function valueAt(t, y, x) {
    let [a, b] = [0, t.length - 1];
    while (b - a > 1) {
        const middle = (a + b) >> 1;
        if (t[middle] <= x) a = middle;
        else b = middle;
    }
    const share = b > a ? Math.min(Math.max((x - t[a]) / (t[b] - t[a]), 0), 1) : 0;
    return (1 - share) * y[a] + share * y[b];
}

class Chart {
    constructor(canvas, start, end) {
        Object.assign(this, { canvas, start, end, curve: null });
    }

    show(curve, range) {
        Object.assign(this, { curve, range });
    }

    x(t) {
        const { left, right } = MARGIN;
        return left + ((t - this.start) / (this.end - this.start)) * (this.wide - left - right);
    }

    y(value) {
        const { top, bottom } = MARGIN;
        const [low, high] = this.range;
        return this.high - bottom - ((value - low) / (high - low)) * (this.high - top - bottom);
    }

    timeAt(x) {
        const { left, right } = MARGIN;
        const share = (x - left) / (this.wide - left - right);
        return this.start + Math.min(Math.max(share, 0), 1) * (this.end - this.start);
    }

    draw(now, theme) {
        const { canvas, curve } = this;
        const scale = window.devicePixelRatio || 1;
        [this.wide, this.high] = [canvas.clientWidth, canvas.clientHeight];
        if (!curve || !this.wide) return;
        [canvas.width, canvas.height] = [Math.round(this.wide * scale), Math.round(this.high * scale)];
        const pen = canvas.getContext("2d");
        pen.setTransform(scale, 0, 0, scale, 0, 0);
        pen.font = "12px system-ui, sans-serif";
        this.axes(pen, theme);
        curve.series.forEach((one, k) => this.line(pen, one, SERIES[k % SERIES.length], now));
        this.cursor(pen, now, theme);
        this.words(pen, now, theme);
    }

    axes(pen, theme) {
        pen.strokeStyle = theme.rule;
        pen.fillStyle = theme.soft;
        pen.lineWidth = 1;
        pen.textBaseline = "middle";
        pen.textAlign = "right";
        for (const value of ticks(...this.range, 6)) {
            this.stroke(pen, [[MARGIN.left, this.y(value)], [this.wide - MARGIN.right, this.y(value)]]);
            pen.fillText(short(value), MARGIN.left - 6, this.y(value));
        }
        pen.textBaseline = "top";
        for (const t of ticks(this.start, this.end, Math.max(2, this.wide / 70))) {
            pen.textAlign = this.x(t) > this.wide - 30 ? "right" : "center";
            pen.fillText(`${short(t)} s`, Math.min(this.x(t), this.wide - 2), this.high - MARGIN.bottom + 8);
        }
    }

    stroke(pen, points) {
        pen.beginPath();
        points.forEach(([x, y], k) => (k ? pen.lineTo(x, y) : pen.moveTo(x, y)));
        pen.stroke();
    }

    line(pen, one, colour, now) {
        pen.strokeStyle = colour;
        pen.lineWidth = 1.6;
        pen.lineJoin = "round";
        const points = Array.from(one.y, (value, k) => [this.x(this.curve.t[k]), this.y(value)]);
        this.stroke(pen, points.filter(([, y]) => Number.isFinite(y)));
        pen.fillStyle = colour;
        pen.beginPath();
        pen.arc(this.x(now), this.y(valueAt(this.curve.t, one.y, now)), 3.5, 0, 7);
        pen.fill();
    }

    cursor(pen, now, theme) {
        pen.strokeStyle = theme.text;
        pen.lineWidth = 1;
        this.stroke(pen, [[this.x(now), MARGIN.top], [this.x(now), this.high - MARGIN.bottom]]);
    }

    words(pen, now, theme) {
        const { label, unit, series, t } = this.curve;
        pen.fillStyle = theme.text;
        pen.textAlign = "left";
        pen.textBaseline = "top";
        pen.fillText(`${label} [${unit}]`, 4, 3, this.wide - 90);
        if (series.length > 1) return;
        pen.textAlign = "right";
        pen.fillText(`${fixed(valueAt(t, series[0].y, now), 2)} ${unit}`, this.wide - MARGIN.right, 3);
    }
}
