// The player of a page: arms side by side with one clock, or one arm with sliders for its joints.
// Everything comes from the JSON document beside it (views/web/page_data.py describes it); nothing is fetched.
// Text of the document is only ever set as text, never as HTML.

const FIELD = 0.6; // vertical field of view [rad]
const SPEEDS = [0.1, 0.25, 0.5, 1, 2];

function element(name, attributes = {}, ...inside) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (key in made && typeof value !== "string") made[key] = value;
        else made.setAttribute(key, value);
    }
    made.append(...inside);
    return made;
}

// ---- colours of the page ------------------------------------------------------------------------

function dark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function themeOf(root) {
    const style = getComputedStyle(root);
    const word = (name) => style.getPropertyValue(name).trim();
    const rgb = (name) => [1, 3, 5].map((k) => parseInt(word(name).slice(k, k + 2), 16) / 255);
    return {
        scene: rgb("--scene"), grid: rgb("--grid"), trail: rgb("--trail"), shadow: [0, 0, 0],
        dark: Number(word("--shade")), lift: Number(word("--lift")), ghost: times(rgb("--ghost"), 255),
        text: word("--text"), soft: word("--soft-text"), rule: word("--rule"),
    };
}

// ---- where to look from -------------------------------------------------------------------------

class Camera {
    constructor(pane) {
        const { up } = pane;
        const first = Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
        this.up = up;
        this.right = unit(add(first, times(up, -dot(first, up))));
        this.away = cross(up, this.right);
        this.first = pane;
        this.reset();
    }

    reset() {
        const [low, high] = this.first.box;
        this.target = times(add(low, high), 0.5);
        const way = unit(add(this.first.eye, times(this.target, -1)));
        this.height = Math.asin(dot(way, this.up));
        this.turn = Math.atan2(dot(way, this.away), dot(way, this.right));
        this.distance = null; // fitted to the canvas until somebody zooms
    }

    way() {
        const flat = add(times(this.right, Math.cos(this.turn)), times(this.away, Math.sin(this.turn)));
        return add(times(flat, Math.cos(this.height)), times(this.up, Math.sin(this.height)));
    }

    // the nearest distance from which every corner of the box is in the picture
    fitted(aspect) {
        const back = this.way();
        const right = unit(cross(this.up, back));
        const top = cross(back, right);
        const slope = Math.tan(FIELD / 2);
        const [low, high] = this.first.box;
        let far = 0;
        for (let k = 0; k < 8; k++) {
            const corner = [0, 1, 2].map((axis) => ((k >> axis) & 1 ? high : low)[axis] - this.target[axis]);
            const wide = Math.max(Math.abs(dot(corner, right)) / aspect, Math.abs(dot(corner, top)));
            far = Math.max(far, wide / slope + dot(corner, back));
        }
        return 1.04 * far;
    }

    seen(aspect) {
        const distance = this.distance ?? this.fitted(aspect);
        this.now = distance;
        const back = this.way();
        const eye = add(this.target, times(back, distance));
        const view = lookingAt(eye, this.target, this.up);
        return { eye, back, right: unit(cross(this.up, back)), matrix: multiply(perspective(FIELD, aspect, 0.01 * distance, 30 * distance), view) };
    }

    orbit(dx, dy) {
        this.turn -= dx;
        this.height = Math.min(Math.max(this.height + dy, -1.55), 1.55);
    }

    pan(dx, dy) {
        const back = this.way();
        const right = unit(cross(this.up, back));
        const step = 2 * Math.tan(FIELD / 2) * this.now;
        this.target = add(this.target, add(times(right, -dx * step), times(cross(back, right), dy * step)));
    }

    zoom(factor) {
        const { size } = this.first;
        this.distance = Math.min(Math.max(this.now * factor, 0.05 * size), 30 * size);
    }
}

// Mouse: drag turns, right button or Shift moves, wheel zooms. Touch: one finger turns, two move and zoom.
function steer(canvas, camera, changed) {
    const held = new Map();
    const spread = () => {
        const [a, b] = [...held.values()];
        return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, far: Math.hypot(a.x - b.x, a.y - b.y) || 1 };
    };
    canvas.addEventListener("pointerdown", (event) => {
        held.set(event.pointerId, { x: event.clientX, y: event.clientY });
        canvas.setPointerCapture(event.pointerId);
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => held.delete(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
        const last = held.get(event.pointerId);
        if (!last) return;
        const before = held.size === 2 ? spread() : null;
        const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
        held.set(event.pointerId, { x: event.clientX, y: event.clientY });
        const high = canvas.clientHeight;
        if (before) {
            const after = spread();
            camera.pan((after.x - before.x) / high, (after.y - before.y) / high);
            camera.zoom(before.far / after.far);
        } else if (event.shiftKey || event.buttons & 6) camera.pan(dx / high, dy / high);
        else camera.orbit((3 * dx) / high, (3 * dy) / high);
        changed();
    });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => zoomOnWheel(event, canvas, camera, changed), { passive: false });
}

// On a page that scrolls, the wheel scrolls it, unless the picture was clicked before or Ctrl is held.
function zoomOnWheel(event, canvas, camera, changed) {
    const { scrollHeight, clientHeight } = document.documentElement;
    if (scrollHeight > clientHeight + 4 && document.activeElement !== canvas && !event.ctrlKey) return;
    event.preventDefault();
    camera.zoom(Math.exp(0.0015 * event.deltaY));
    changed();
}

// ---- one arm ------------------------------------------------------------------------------------

class Pane {
    constructor(row, meshes) {
        Object.assign(this, { row, meshes });
        this.row.cell = cellOf(row.size);
        this.times = floats(row.times);
        this.poses = floats(row.poses);
        this.arrows = row.arrows.map((one) => ({ ...one, points: floats(one.points) }));
        this.curves = row.curves.map(curveOf);
        this.values = row.joints.map((joint) => joint.value);
        this.ghost = row.ghost && this.matrices(floats(row.ghost));
        this.build();
    }

    build() {
        const { row } = this;
        this.canvas = element("canvas", { class: "scene", tabindex: "0", role: "img", "aria-label": `3-D view of ${row.title}` });
        this.readout = element("p", { class: "readout" });
        this.chartCanvas = element("canvas", { class: "chart", role: "img", "aria-label": `curves of ${row.title}` });
        this.chart = new Chart(this.chartCanvas, row.start, row.end);
        const notes = row.note ? [element("p", { class: "note" }, row.note)] : [];
        this.root = element("figure", { class: "pane" }, element("figcaption", {}, row.title), this.canvas, ...notes, this.readout);
        if (this.curves.length && row.end > row.start) this.root.append(this.chartCanvas);
    }

    // The first time that the arm is seen: pages may hold many, and each needs a graphics context of its own.
    prepare() {
        if (this.prepared) return;
        this.prepared = true;
        try {
            this.drawing = new Drawing(this.canvas, this.row, this.meshes);
            if (this.row.trail) this.drawing.path(this.trail());
        } catch (error) {
            const words = `This browser cannot draw in 3-D (${error.message}). Numbers and curves still work.`;
            this.canvas.replaceWith(element("p", { class: "missing" }, words));
        }
    }

    matrices(poses, at = 0) {
        return [...Array(this.row.frames).keys()].map((k) => matrixOf(poses, at + 7 * k));
    }

    // which stored instants a time lies between
    place(t) {
        const n = this.times.length;
        if (n < 2) return [0, 0, 0];
        const x = ((t - this.times[0]) / (this.times[n - 1] - this.times[0])) * (n - 1);
        const k = Math.min(Math.max(Math.floor(x), 0), n - 2);
        return [k, k + 1, Math.min(Math.max(x - k, 0), 1)];
    }

    frames(t) {
        if (this.row.joints.length) return this.byHand();
        const [a, b, share] = this.place(t);
        const wide = 7 * this.row.frames;
        return [...Array(this.row.frames).keys()].map((k) =>
            matrixOf(between(this.poses, a * wide + 7 * k, b * wide + 7 * k, share)));
    }

    // forward kinematics: the links one after the other, then every frame on its link
    byHand() {
        const links = [];
        for (const link of this.row.tree) {
            const parent = link.parent < 0 ? IDENTITY : links[link.parent];
            links.push(multiply(multiply(multiply(parent, matrixOf(link.rest)), this.motion(link)), matrixOf(link.after)));
        }
        return this.row.fixed.map(({ link, pose }) => multiply(link < 0 ? IDENTITY : links[link], matrixOf(pose)));
    }

    motion({ joint, factor, turn, travel, axis }) {
        if (joint < 0) return IDENTITY;
        const by = factor * (this.values[joint] - this.row.joints[joint].value);
        return multiply(turned(axis, turn * by), moved(times(axis, travel * by)));
    }

    trail() {
        const wide = 7 * this.row.frames;
        const out = new Float32Array(3 * this.times.length);
        for (let k = 0; k < this.times.length; k++)
            for (let axis = 0; axis < 3; axis++) out[3 * k + axis] = this.poses[k * wide + 7 * this.row.tip + axis];
        return out;
    }

    arrowsAt(t) {
        const [a, b, share] = this.place(t);
        const out = [];
        for (const { colour, count, points } of this.arrows)
            for (let k = 0; k < count; k++) {
                const ends = [0, 1, 2, 3, 4, 5].map((c) =>
                    (1 - share) * points[6 * (a * count + k) + c] + share * points[6 * (b * count + k) + c]);
                out.push({ colour, from: ends.slice(0, 3), to: ends.slice(3) });
            }
        return out;
    }

    tip(frames) {
        return frames[this.row.tip];
    }

    draw(t, camera, theme, chosen) {
        this.prepare();
        const frames = this.frames(t);
        const tip = this.tip(frames);
        if (this.drawing) this.picture(t, frames, tip.slice(12, 15), camera, theme);
        const angles = rollPitchYaw(tip).map((angle) => `${fixed(angle, 1)}°`);
        const [x, y, z] = tip.slice(12, 15).map((value) => fixed(value, 4));
        this.readout.textContent = `tip  x ${x}  y ${y}  z ${z} m   roll ${angles[0]}  pitch ${angles[1]}  yaw ${angles[2]}`;
        if (this.curves[chosen]) this.chart.draw(t, theme);
    }

    picture(t, frames, tip, camera, theme) {
        const { canvas } = this;
        const scale = Math.min(window.devicePixelRatio || 1, 2);
        const size = [canvas.clientWidth, canvas.clientHeight].map((x) => Math.max(1, Math.round(x * scale)));
        if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
        const arrows = this.arrowsAt(t);
        const passed = this.row.trail ? this.place(t)[1] : 0;
        const seen = camera.seen(size[0] / size[1]);
        this.drawing.draw({ frames, ghost: this.ghost, arrows, passed, tip }, seen, theme);
    }
}

// squares of the floor: a round length, about a tenth of the arm
function cellOf(size) {
    const power = 10 ** Math.floor(Math.log10(size / 10));
    return power * ([1, 2, 5, 10].find((x) => x * power >= size / 10) ?? 10);
}

// ---- the player ---------------------------------------------------------------------------------

class Player {
    constructor(root, data) {
        this.root = root;
        root.player = this; // for scripts of others, and for tests
        this.panes = data.panes.map((row) => new Pane(row, data.meshes));
        if (this.panes.length === 1) this.panes[0].root.firstChild.hidden = true; // the page has the same title
        this.start = Math.min(...this.panes.map(({ row }) => row.start));
        this.end = Math.max(...this.panes.map(({ row }) => row.end));
        this.moves = this.end > this.start;
        this.camera = new Camera(this.around());
        Object.assign(this, { t: this.start, speed: 1, loop: true, playing: false, chosen: 0, visible: false, dirty: true });
        this.build();
        this.choose(0);
        this.listen();
        if (this.moves && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.play(true);
        this.last = performance.now();
        requestAnimationFrame((now) => this.tick(now));
    }

    // one camera for all arms: their boxes together
    around() {
        const rows = this.panes.map(({ row }) => row);
        const extreme = (which, pick) => [0, 1, 2].map((k) => pick(...rows.map((row) => row.box[which][k])));
        return { ...rows[0], box: [extreme(0, Math.min), extreme(1, Math.max)] };
    }

    // ---- controls ----

    build() {
        const { root } = this;
        root.replaceChildren(element("div", { class: "panes" }, ...this.panes.map((pane) => pane.root)));
        const bar = this.moves ? this.playback() : [];
        root.append(element("div", { class: "bar" }, ...bar, ...this.buttons()));
        const [first] = this.panes;
        if (first.row.joints.length) root.append(this.sliders(first));
        root.append(this.legend());
    }

    playback() {
        this.button = element("button", { type: "button", class: "play" }, "Play");
        this.button.onclick = () => this.play(!this.playing);
        const step = (this.end - this.start) / 1000;
        this.slider = element("input", { type: "range", class: "time", min: `${this.start}`, max: `${this.end}`, step: `${step}`, value: `${this.t}`, "aria-label": "time in seconds" });
        this.slider.oninput = () => this.seek(Number(this.slider.value));
        this.clock = element("output", { class: "clock" });
        const speed = element("select", { "aria-label": "speed" }, ...SPEEDS.map((x) => element("option", { value: `${x}` }, `${x} ×`)));
        speed.value = "1";
        speed.onchange = () => (this.speed = Number(speed.value));
        const loop = element("input", { type: "checkbox", checked: true });
        loop.onchange = () => (this.loop = loop.checked);
        const again = element("label", {}, loop, " repeat");
        return [this.button, this.slider, this.clock, speed, again, ...this.curveMenu()];
    }

    curveMenu() {
        const { curves } = this.panes[0];
        if (curves.length < 2) return [];
        const menu = element("select", { "aria-label": "curves" }, ...curves.map((curve, k) => element("option", { value: `${k}` }, `${curve.label} [${curve.unit}]`)));
        menu.onchange = () => this.choose(Number(menu.value));
        return [menu];
    }

    buttons() {
        const view = element("button", { type: "button" }, "Reset view");
        view.onclick = () => this.change(() => this.camera.reset());
        const shot = element("button", { type: "button" }, "Save picture");
        shot.onclick = () => this.save();
        return [view, shot];
    }

    sliders(pane) {
        const rows = pane.row.joints.map((joint, k) => {
            const scale = joint.unit === "deg" ? 180 / Math.PI : 1;
            const digits = joint.unit === "deg" ? 1 : 4;
            const shown = element("output", {});
            const slider = element("input", {
                type: "range", min: `${joint.low * scale}`, max: `${joint.high * scale}`, step: "any", value: `${joint.value * scale}`,
                "aria-label": `${joint.name} [${joint.unit}]`,
            });
            const show = () => (shown.textContent = `${fixed(Number(slider.value), digits)} ${joint.unit}`);
            slider.oninput = () => this.change(() => {
                pane.values[k] = Number(slider.value) / scale;
                show();
            });
            show();
            return element("label", {}, element("span", {}, joint.name), slider, shown);
        });
        return element("div", { class: "joints" }, ...rows);
    }

    legend() {
        const seen = new Set();
        const rows = [];
        for (const { row } of this.panes)
            for (const { kind, colour, label } of row.legend)
                if (!seen.has(label) && seen.add(label)) {
                    const mark = element("i", { class: kind });
                    mark.style.setProperty("--c", `rgb(${colour.join(",")})`);
                    rows.push(element("li", {}, mark, label));
                }
        const { cell } = this.panes[0].row;
        rows.push(element("li", {}, element("i", { class: "floor" }), `squares of the floor: ${cell} m`));
        return element("ul", { class: "legend" }, ...rows);
    }

    // ---- what is asked for ----

    change(what) {
        what();
        this.dirty = true;
    }

    play(yes) {
        this.playing = yes;
        if (yes && this.t >= this.end) this.t = this.start;
        this.button.textContent = yes ? "Pause" : "Play";
        this.dirty = true;
    }

    seek(t) {
        this.t = Math.min(Math.max(t, this.start), this.end);
        this.play(false);
    }

    choose(k) {
        this.chosen = k;
        const curves = this.panes.map((pane) => pane.curves[k]).filter(Boolean);
        const range = curves.length ? rangeOf(curves) : null;
        for (const pane of this.panes) pane.chart.show(pane.curves[k], range);
        this.showNames(curves[0]);
        this.dirty = true;
    }

    // names of the curves, where there are several in a diagram
    showNames(curve) {
        this.names?.remove();
        if (!curve || curve.series.length < 2) return;
        const rows = curve.series.map(({ name }, k) => {
            const mark = element("i", { class: "line" });
            mark.style.setProperty("--c", SERIES[k % SERIES.length]);
            return element("li", {}, mark, name);
        });
        this.names = element("ul", { class: "legend names" }, ...rows);
        this.root.querySelector(".panes").after(this.names);
    }

    listen() {
        const changed = () => (this.dirty = true);
        for (const pane of this.panes) {
            steer(pane.canvas, this.camera, changed);
            this.scrub(pane);
        }
        new ResizeObserver(changed).observe(this.root);
        new IntersectionObserver((seen) => this.change(() => (this.visible = seen[0].isIntersecting))).observe(this.root);
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
        document.addEventListener("themechange", changed);
    }

    // a click or a drag on a diagram goes to that time
    scrub({ chartCanvas, chart }) {
        const go = (event) => event.buttons && this.seek(chart.timeAt(event.clientX - chartCanvas.getBoundingClientRect().left));
        for (const kind of ["pointerdown", "pointermove"]) chartCanvas.addEventListener(kind, go);
    }

    // ---- time ----

    tick(now) {
        const passed = Math.min(Math.max((now - this.last) / 1000, 0), 0.1); // a page that was hidden does not jump
        this.last = now;
        if (this.playing && this.visible) this.advance(passed * this.speed);
        if (this.dirty && this.visible) this.draw();
        requestAnimationFrame((then) => this.tick(then));
    }

    advance(seconds) {
        this.t += seconds;
        this.dirty = true;
        if (this.t < this.end) return;
        if (this.loop) this.t = this.start + ((this.t - this.start) % (this.end - this.start));
        else this.change(() => ((this.t = this.end), this.play(false)));
    }

    draw() {
        this.dirty = false;
        const theme = themeOf(this.root);
        for (const pane of this.panes) pane.draw(this.t, this.camera, theme, this.chosen);
        if (!this.moves) return;
        this.slider.value = String(this.t);
        this.clock.textContent = `${this.t.toFixed(2)} s of ${this.end.toFixed(2)} s`;
    }

    // ---- pictures ----

    // the arms side by side with their titles, as a PNG
    save() {
        this.draw(); // in the same task as the copy: a drawn canvas is empty afterwards
        const drawn = this.panes.filter((pane) => pane.drawing).map((pane) => pane.canvas);
        if (!drawn.length) return;
        const high = Math.max(...drawn.map((canvas) => canvas.height));
        const whole = element("canvas", { width: drawn.reduce((sum, canvas) => sum + canvas.width, 0), height: high });
        const pen = whole.getContext("2d");
        let left = 0;
        for (const canvas of drawn) {
            pen.drawImage(canvas, left, 0);
            left += canvas.width;
        }
        whole.toBlob((blob) => download(blob, `${document.title.replace(/[^\w-]+/g, "_") || "picture"}.png`));
    }
}

function download(blob, name) {
    const link = element("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// ---- the page -----------------------------------------------------------------------------------

function offerTheme(button) {
    const show = () => (button.textContent = dark() ? "Light" : "Dark");
    button.onclick = () => {
        document.documentElement.dataset.theme = dark() ? "light" : "dark";
        document.dispatchEvent(new Event("themechange"));
        show();
    };
    button.hidden = false;
    show();
}

document.querySelectorAll("button.theme").forEach(offerTheme);
const players = [...document.querySelectorAll(".player")].map((root) =>
    new Player(root, JSON.parse(root.nextElementSibling.textContent)));
