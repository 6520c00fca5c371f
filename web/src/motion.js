// Where every rigid body is at a time, from the pieces of its motion, in float64: the same arithmetic as carom's.

/** Row of the last of `times` in [first, end) that is not after t; `first` where all are. Starts looking at `guess`. */
export function lastNotAfter(times, first, end, t, guess = first) {
  if (times[guess] <= t && (guess + 1 === end || t < times[guess + 1])) return guess;
  let low = first;
  let high = end - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

export class Motions {
  constructor(arrays) {
    this.first = arrays["piece.first"];
    this.since = arrays["piece.since"];
    this.start = arrays["piece.start"];
    this.from = arrays["piece.position"];
    this.velocity = arrays["piece.velocity"];
    this.acceleration = arrays["piece.acceleration"];
    this.turnFirst = arrays["turn.first"];
    this.turned = arrays["turn.orientation"];
    this.spin = arrays["turn.spin"];
    this.count = this.first.length - 1;
    /** Filled by `evaluate`: x, y, z of each body, and w, x, y, z. */
    this.position = new Float64Array(3 * this.count);
    this.orientation = new Float64Array(4 * this.count);
    this.guess = Int32Array.from(this.first.subarray(0, this.count));
  }

  /** Does the body's orientation ever change? */
  turns(body) {
    const row = this.turnFirst[body];
    if (this.turnFirst[body + 1] - row > 1) return true;
    return this.spin[3 * row] !== 0 || this.spin[3 * row + 1] !== 0 || this.spin[3 * row + 2] !== 0;
  }

  evaluate(t) {
    for (let body = 0; body < this.count; body++) this.evaluateBody(body, t);
  }

  evaluateBody(body, t) {
    const piece = lastNotAfter(this.since, this.first[body], this.first[body + 1], t, this.guess[body]);
    this.guess[body] = piece;
    const dt = t - this.start[piece];
    const accelerates = this.acceleration.length > 0;
    for (let axis = 0; axis < 3; axis++) {
      const k = 3 * piece + axis;
      const speed = this.velocity[k] + 0.5 * dt * (accelerates ? this.acceleration[k] : 0);
      this.position[3 * body + axis] = this.from[k] + dt * speed;
    }
    const rows = this.turnFirst[body + 1] - this.turnFirst[body];
    this.turn(body, this.turnFirst[body] + (rows > 1 ? piece - this.first[body] : 0), dt);
  }

  /** The orientation of row `row` after dt seconds of its spin. */
  turn(body, row, dt) {
    const w = this.turned[4 * row];
    const x = this.turned[4 * row + 1];
    const y = this.turned[4 * row + 2];
    const z = this.turned[4 * row + 3];
    const spinX = this.spin[3 * row];
    const spinY = this.spin[3 * row + 1];
    const spinZ = this.spin[3 * row + 2];
    const rate = Math.sqrt(spinX * spinX + spinY * spinY + spinZ * spinZ);
    if (rate === 0) {
      this.setOrientation(body, w, x, y, z);
      return;
    }
    const half = 0.5 * rate * dt;
    const cosine = Math.cos(half);
    const scale = Math.sin(half) / rate;
    const a = spinX * scale;
    const b = spinY * scale;
    const c = spinZ * scale;
    const turnedW = cosine * w - (a * x + b * y + c * z);
    const turnedX = cosine * x + w * a + (b * z - c * y);
    const turnedY = cosine * y + w * b + (c * x - a * z);
    const turnedZ = cosine * z + w * c + (a * y - b * x);
    const length = Math.sqrt(turnedW * turnedW + turnedX * turnedX + turnedY * turnedY + turnedZ * turnedZ);
    this.setOrientation(body, turnedW / length, turnedX / length, turnedY / length, turnedZ / length);
  }

  setOrientation(body, w, x, y, z) {
    this.orientation[4 * body] = w;
    this.orientation[4 * body + 1] = x;
    this.orientation[4 * body + 2] = y;
    this.orientation[4 * body + 3] = z;
  }
}
