// Vectors are arrays of 3, matrices arrays of 16 in columns (as WebGL takes them), poses 7 numbers: x, y, z and the
// quaternion w, x, y, z. Everything is in double precision until it is drawn.

const add = (a, b) => a.map((x, k) => x + b[k]);
const times = (a, s) => a.map((x) => x * s);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => times(a, 1 / (Math.hypot(...a) || 1));
const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

function multiply(a, b) {
    const out = new Array(16);
    for (let c = 0; c < 16; c += 4)
        for (let r = 0; r < 4; r++)
            out[c + r] = a[r] * b[c] + a[r + 4] * b[c + 1] + a[r + 8] * b[c + 2] + a[r + 12] * b[c + 3];
    return out;
}

function matrixOf(poses, at = 0) {
    const [x, y, z, w, i, j, k] = poses.slice(at, at + 7);
    return [
        1 - 2 * (j * j + k * k), 2 * (i * j + k * w), 2 * (i * k - j * w), 0,
        2 * (i * j - k * w), 1 - 2 * (i * i + k * k), 2 * (j * k + i * w), 0,
        2 * (i * k + j * w), 2 * (j * k - i * w), 1 - 2 * (i * i + j * j), 0,
        x, y, z, 1,
    ];
}

// Pose between those that begin at a and b. Quaternions q and -q are the same rotation: take the nearer one.
function between(poses, a, b, share) {
    let near = 0;
    for (let k = 3; k < 7; k++) near += poses[a + k] * poses[b + k];
    const side = near < 0 ? -1 : 1;
    const out = [];
    for (let k = 0; k < 7; k++) out.push((1 - share) * poses[a + k] + share * (k < 3 ? 1 : side) * poses[b + k]);
    const length = Math.hypot(out[3], out[4], out[5], out[6]);
    for (let k = 3; k < 7; k++) out[k] /= length;
    return out;
}

function turned(axis, angle) {
    const half = angle / 2;
    return matrixOf([0, 0, 0, Math.cos(half), ...times(axis, Math.sin(half))]);
}

function moved(way) {
    return [...IDENTITY.slice(0, 12), ...way, 1];
}

function perspective(height, aspect, near, far) {
    const f = 1 / Math.tan(height / 2);
    return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0];
}

function lookingAt(eye, target, up) {
    const back = unit(add(eye, times(target, -1)));
    const right = unit(cross(up, back));
    const top = cross(back, right);
    const at = [right, top, back].map((axis) => -dot(axis, eye));
    return [right[0], top[0], back[0], 0, right[1], top[1], back[1], 0, right[2], top[2], back[2], 0, ...at, 1];
}

// Roll, pitch and yaw in degrees (rotations about the fixed x, y and z axes, in this order).
function rollPitchYaw(m) {
    const angles = [Math.atan2(m[6], m[10]), Math.atan2(-m[2], Math.hypot(m[6], m[10])), Math.atan2(m[1], m[0])];
    return angles.map((angle) => (angle * 180) / Math.PI);
}
