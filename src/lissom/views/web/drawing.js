// One arm on one canvas with WebGL 2: triangles that move with frames, a floor with shadows, lines and arrows.

const MOST_BONES = 24; // frames of a skin that the vertex program has room for
const SUN = [-0.45, 0.7, 0.8]; // where light comes from: right, towards the viewer, up; so no side that is seen is dark
const SOFT = 5; // lights beside each other make a soft shadow
const MANY = 60000; // triangles; larger scenes get one hard shadow

const BODY = `#version 300 es
uniform mat4 eye, press, bones[${MOST_BONES}];
in vec3 position, normal;
in float nearest, share;
out vec3 place, across;
void main() {
    int k = int(nearest);
    mat4 m = bones[k];
    if (share > 0.0) m = (1.0 - share) * m + share * bones[k + 1];
    vec4 world = press * (m * vec4(position, 1.0));
    place = world.xyz / world.w;
    across = mat3(m) * normal;
    gl_Position = eye * world;
}`;

const LIT = `#version 300 es
precision highp float;
uniform vec4 colour;
uniform vec3 sun, up, viewer;
uniform float plain;
in vec3 place, across;
out vec4 shown;
void main() {
    vec3 n = normalize(gl_FrontFacing ? across : -across);
    vec3 middle = normalize(sun + normalize(viewer - place));
    float light = 0.40 + 0.25 * dot(n, up) + 0.50 * max(dot(n, sun), 0.0);
    vec3 lit = colour.rgb * light + 0.16 * pow(max(dot(n, middle), 0.0), 36.0);
    shown = vec4(mix(lit, colour.rgb, plain), colour.a);
}`;

const FLOOR = `#version 300 es
uniform mat4 eye;
uniform vec3 centre, right, away;
uniform float wide;
out vec2 spot;
void main() {
    spot = wide * (2.0 * vec2(gl_VertexID & 1, gl_VertexID >> 1) - 1.0);
    gl_Position = eye * vec4(centre + spot.x * right + spot.y * away, 1.0);
}`;

// lines of the floor are as wide as a pixel at any distance, and fade out at its rim
const GRID = `#version 300 es
precision highp float;
uniform vec3 line;
uniform float wide, cell;
in vec2 spot;
out vec4 shown;
float lines(float every) {
    vec2 at = spot / every, slope = fwidth(at);
    vec2 near = abs(fract(at - 0.5) - 0.5) / slope;
    return 1.0 - min(min(near.x, near.y), 1.0);
}
void main() {
    float rim = smoothstep(1.0, 0.25, length(spot) / wide);
    shown = vec4(line, rim * max(0.35 * lines(cell), 0.85 * lines(5.0 * cell)));
}`;

// a line of segments, each drawn as a rectangle of some pixels' width
const LINE = `#version 300 es
uniform mat4 eye;
uniform vec2 pixels;
uniform float thick;
in vec3 a, b;
void main() {
    vec4 p = eye * vec4(a, 1.0), q = eye * vec4(b, 1.0);
    vec2 along = (q.xy / q.w - p.xy / p.w) * pixels;
    along = length(along) > 1e-6 ? normalize(along) : vec2(1.0, 0.0);
    vec4 at = (gl_VertexID & 1) == 0 ? p : q;
    float side = (gl_VertexID & 2) == 0 ? -1.0 : 1.0;
    float end = (gl_VertexID & 1) == 0 ? -1.0 : 1.0;
    at.xy += (side * vec2(-along.y, along.x) + 0.5 * end * along) * thick / pixels * at.w;
    gl_Position = at;
}`;

const PLAIN = `#version 300 es
precision highp float;
uniform vec4 colour;
out vec4 shown;
void main() { shown = colour; }`;

function bytesOf(text) {
    return Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
}

const floats = (text) => new Float32Array(bytesOf(text));

// Triangles as the document has them, with normals: the mean of the faces around each vertex, by their areas.
function meshOf(row) {
    const whole = new Uint16Array(bytesOf(row.vertices));
    const faces = row.wide ? new Uint32Array(bytesOf(row.faces)) : new Uint16Array(bytesOf(row.faces));
    const span = row.high.map((x, k) => (x - row.low[k]) / 65535);
    const positions = Float32Array.from(whole, (x, k) => row.low[k % 3] + x * span[k % 3]);
    return { positions, faces, normals: normalsOf(positions, faces) };
}

function normalsOf(p, faces) {
    const out = new Float32Array(p.length);
    for (let f = 0; f < faces.length; f += 3) {
        const [a, b, c] = [3 * faces[f], 3 * faces[f + 1], 3 * faces[f + 2]];
        const u = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
        const v = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
        const n = cross(u, v);
        for (const vertex of [a, b, c]) for (let k = 0; k < 3; k++) out[vertex + k] += n[k];
    }
    return out;
}

// A surface of revolution about z through (radius, height) pairs; neighbours with equal entries make a sharp edge.
function revolved(profile, around = 20) {
    const positions = [];
    const faces = [];
    for (const [r, z] of profile)
        for (let k = 0; k <= around; k++) {
            const turn = (2 * Math.PI * k) / around;
            positions.push(r * Math.cos(turn), r * Math.sin(turn), z);
        }
    for (let row = 0; row + 1 < profile.length; row++)
        for (let k = 0; k < around; k++) {
            const a = row * (around + 1) + k;
            faces.push(a, a + 1, a + around + 2, a, a + around + 2, a + around + 1);
        }
    return { positions: new Float32Array(positions), faces: new Uint16Array(faces), normals: normalsOf(positions, faces) };
}

const SHAFT = [[0, 0], [1, 0], [1, 0], [1, 1]];
const HEAD = [[0, 0], [1, 0], [1, 0], [0, 1]];
const BALL = [...Array(13).keys()].map((k) => [Math.sin((Math.PI * k) / 12), -Math.cos((Math.PI * k) / 12)]);

class Drawing {
    constructor(canvas, pane, rows) {
        const gl = canvas.getContext("webgl2", { antialias: true, stencil: true, alpha: false });
        if (!gl) throw new Error("WebGL 2 is not available");
        Object.assign(this, { canvas, pane, gl });
        this.body = this.program(BODY, LIT);
        this.floor = this.program(FLOOR, GRID);
        this.line = this.program(LINE, PLAIN);
        const stored = new Map();
        const buffers = (k) => stored.get(k) || stored.set(k, this.store(meshOf(rows[k]))).get(k);
        this.solids = pane.solids.map((solid) => ({ ...solid, buffers: buffers(solid.mesh) }));
        this.skins = pane.skins.map((skin) => this.skinned(skin, meshOf(rows[skin.mesh])));
        [this.shaft, this.head, this.ball] = [SHAFT, HEAD, BALL].map((profile) => this.store(revolved(profile)));
        this.triangles = [...this.solids, ...this.skins].reduce((sum, one) => sum + one.buffers.count / 3, 0);
        this.axes();
    }

    // ---- set up ----

    program(vertex, fragment) {
        const { gl } = this;
        const made = gl.createProgram();
        for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
            const shader = gl.createShader(kind);
            gl.shaderSource(shader, text);
            gl.compileShader(shader);
            gl.attachShader(made, shader);
        }
        gl.linkProgram(made);
        if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
        const places = new Map();
        const at = (name) => places.get(name) ?? places.set(name, gl.getUniformLocation(made, name)).get(name);
        return { made, at };
    }

    array(program, name, values, size, options = {}) {
        const { gl } = this;
        const place = gl.getAttribLocation(program.made, name);
        gl.bindBuffer(gl.ARRAY_BUFFER, options.buffer ?? gl.createBuffer());
        if (values) gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
        gl.enableVertexAttribArray(place);
        gl.vertexAttribPointer(place, size, gl.FLOAT, false, options.stride ?? 0, options.offset ?? 0);
        gl.vertexAttribDivisor(place, options.divisor ?? 0);
    }

    store(mesh, nearest, share) {
        const { gl } = this;
        const vertices = gl.createVertexArray();
        gl.bindVertexArray(vertices);
        this.array(this.body, "position", mesh.positions, 3);
        this.array(this.body, "normal", mesh.normals, 3);
        if (nearest) this.array(this.body, "nearest", nearest, 1);
        if (share) this.array(this.body, "share", share, 1);
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
        gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, mesh.faces, gl.STATIC_DRAW);
        gl.bindVertexArray(null);
        const kind = mesh.faces instanceof Uint32Array ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT;
        return { vertices, count: mesh.faces.length, kind };
    }

    skinned(skin, mesh) {
        const nearest = Float32Array.from(new Uint8Array(bytesOf(skin.nearest)));
        const back = floats(skin.back);
        const backs = [...Array(skin.bones).keys()].map((k) => matrixOf(back, 7 * k));
        return { ...skin, backs, opacity: 1, buffers: this.store(mesh, nearest, floats(skin.share)) };
    }

    path(points) {
        const { gl } = this;
        const vertices = gl.createVertexArray();
        gl.bindVertexArray(vertices);
        const buffer = gl.createBuffer();
        const options = { buffer, stride: 12, divisor: 1 };
        this.array(this.line, "a", points, 3, options);
        this.array(this.line, "b", null, 3, { ...options, offset: 12 });
        gl.bindVertexArray(null);
        this.trail = { vertices, count: points.length / 3 - 1 };
    }

    // right, away and up of the floor; its lines go through the base
    axes() {
        const { up } = this.pane;
        const first = Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
        this.right = unit(add(first, times(up, -dot(first, up))));
        this.away = cross(up, this.right);
        this.centre = times(up, this.pane.floor);
    }

    // ---- a picture ----

    // frames, ghost: matrices; arrows: [{colour, from, to}]; passed: segments of the trail; tip: where its end is
    draw({ frames, ghost, arrows, passed, tip }, camera, theme) {
        const { gl, canvas } = this;
        gl.viewport(0, 0, canvas.width, canvas.height);
        gl.clearColor(...theme.scene, 1);
        gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
        const parts = [camera.right, camera.back, this.pane.up].map((axis, k) => times(axis, SUN[k]));
        Object.assign(this, { eye: camera.matrix, lift: theme.lift, sun: unit(parts.reduce(add)) });
        gl.disable(gl.DEPTH_TEST);
        this.drawFloor(theme);
        this.drawShadows(frames, theme);
        gl.enable(gl.DEPTH_TEST);
        this.begin(camera.eye);
        this.bodies(frames, (one) => (one.opacity < 1 ? null : this.colour(one.colour, 1)));
        arrows.forEach((arrow) => this.arrow(arrow));
        this.drawTrail(passed, tip, theme);
        this.begin(camera.eye);
        if (ghost) this.transparent(ghost, (one) => !one.mark && one.moves, theme.ghost, 0.3);
        this.transparent(frames, (one) => one.opacity < 1);
    }

    begin(viewer, press = IDENTITY) {
        const { gl, body } = this;
        gl.useProgram(body.made);
        gl.uniformMatrix4fv(body.at("eye"), false, this.eye);
        gl.uniformMatrix4fv(body.at("press"), false, press);
        gl.uniform3fv(body.at("sun"), this.sun);
        gl.uniform3fv(body.at("up"), this.pane.up);
        gl.uniform3fv(body.at("viewer"), viewer);
        gl.uniform1f(body.at("plain"), 0);
    }

    colour(colour, opacity) {
        const [r, g, b] = colour.map((x) => (x / 255) * (1 - this.lift) + this.lift); // dark parts on a dark page
        this.gl.uniform4f(this.body.at("colour"), r, g, b, opacity);
        return true;
    }

    place(buffers, bones) {
        const { gl } = this;
        gl.uniformMatrix4fv(this.body.at("bones"), false, bones);
        gl.bindVertexArray(buffers.vertices);
        gl.drawElements(gl.TRIANGLES, buffers.count, buffers.kind, 0);
    }

    // draws every solid and skin for which `chosen` is true
    bodies(frames, chosen) {
        for (const solid of this.solids) if (chosen(solid)) this.place(solid.buffers, frames[solid.frame]);
        for (const skin of this.skins)
            if (chosen(skin))
                this.place(skin.buffers, skin.backs.flatMap((back, k) => multiply(frames[skin.first + k], back)));
    }

    // first depths alone, then colours: what lies behind a transparent surface of the same body stays hidden
    transparent(frames, chosen, colour = null, opacity = null) {
        const { gl } = this;
        gl.colorMask(false, false, false, false);
        this.bodies(frames, chosen);
        gl.colorMask(true, true, true, true);
        gl.depthFunc(gl.LEQUAL);
        const coloured = (one) => this.colour(colour ?? one.colour, opacity ?? one.opacity);
        this.bodies(frames, (one) => chosen(one) && coloured(one));
        gl.depthFunc(gl.LESS);
    }

    drawFloor(theme) {
        const { gl, floor, pane } = this;
        gl.useProgram(floor.made);
        gl.uniformMatrix4fv(floor.at("eye"), false, this.eye);
        gl.uniform3fv(floor.at("centre"), this.centre);
        gl.uniform3fv(floor.at("right"), this.right);
        gl.uniform3fv(floor.at("away"), this.away);
        gl.uniform1f(floor.at("wide"), 3 * pane.size);
        gl.uniform1f(floor.at("cell"), pane.cell);
        gl.uniform3fv(floor.at("line"), theme.grid);
        gl.bindVertexArray(null);
        gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }

    // the bodies pressed flat onto the floor; the stencil lets each light darken a pixel once
    drawShadows(frames, theme) {
        const { gl } = this;
        const lights = this.triangles > MANY ? 1 : SOFT;
        gl.enable(gl.STENCIL_TEST);
        gl.stencilOp(gl.KEEP, gl.KEEP, gl.REPLACE);
        for (let k = 0; k < lights; k++) {
            gl.stencilFunc(gl.NOTEQUAL, k + 1, 0xff);
            this.begin([0, 0, 0], this.pressed((2 * Math.PI * k) / lights, lights > 1 ? 0.05 : 0));
            gl.uniform1f(this.body.at("plain"), 1);
            gl.uniform4f(this.body.at("colour"), ...theme.shadow, theme.dark / lights);
            this.bodies(frames, (one) => !one.mark);
        }
        gl.disable(gl.STENCIL_TEST);
    }

    // matrix that moves points along a light, `wide` beside the sun, onto the floor
    pressed(turn, wide) {
        const { up, floor } = this.pane;
        const beside = add(times(this.right, wide * Math.cos(turn)), times(this.away, wide * Math.sin(turn)));
        const light = add(times(up, 1), beside);
        const d = dot(up, light);
        const out = [];
        for (let c = 0; c < 3; c++) for (let r = 0; r < 4; r++) out.push(r < 3 ? (r === c ? d : 0) - light[r] * up[c] : 0);
        return [...out, ...times(light, floor), d];
    }

    arrow({ colour, from, to }) {
        const { size } = this.pane;
        const way = add(to, times(from, -1));
        const length = Math.hypot(...way);
        const head = Math.min(0.04 * size, 0.5 * length);
        if (length < 0.01 * size) return;
        this.colour(colour, 1);
        const thick = 0.005 * size;
        this.place(this.shaft, this.along(from, way, thick, length - head));
        this.place(this.head, this.along(add(to, times(way, -head / length)), way, 2.6 * thick, head));
    }

    // matrix that puts a body of revolution at a place, its axis along `way`
    along(place, way, radius, length) {
        const z = unit(way);
        const x = unit(cross(Math.abs(z[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0], z));
        const columns = [times(x, radius), times(cross(z, x), radius), times(z, length), place];
        return columns.flatMap((column, k) => [...column, k === 3 ? 1 : 0]);
    }

    drawTrail(passed, tip, theme) {
        const { gl, line, trail, canvas } = this;
        if (!trail) return;
        gl.useProgram(line.made);
        gl.uniformMatrix4fv(line.at("eye"), false, this.eye);
        gl.uniform2f(line.at("pixels"), canvas.width, canvas.height);
        const draw = (colour, thick, count) => {
            gl.uniform4f(line.at("colour"), ...colour);
            gl.uniform1f(line.at("thick"), thick * (canvas.width / canvas.clientWidth || 1));
            gl.bindVertexArray(trail.vertices);
            if (count > 0) gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
        };
        draw([...theme.grid, 1], 1, trail.count);
        draw([...theme.trail, 1], 2.6, Math.min(passed, trail.count));
        this.begin([0, 0, 0]);
        this.colour(times(theme.trail, 255), 1);
        const wide = 0.011 * this.pane.size;
        this.place(this.ball, this.along(tip, [0, 0, 1], wide, wide));
    }
}
