// The contacts of the replay: one row each, in time order, and the selection of those of one body.

export class Contacts {
  constructor(replay) {
    const { arrays } = replay;
    this.names = replay.names;
    this.words = replay.words;
    this.time = arrays["contact.time"];
    this.a = arrays["contact.a"];
    this.b = arrays["contact.b"];
    this.speed = arrays["contact.speed"];
    this.faceA = arrays["contact.face_a"];
    this.faceB = arrays["contact.face_b"];
    this.kind = arrays["contact.kind"];
    this.points = arrays["contact.point"];
    this.normals = arrays["contact.normal"];
    this.count = this.time.length;
    this.every = Int32Array.from(this.time, (_, k) => k);
    /** Rows shown: all, or those of one body. */
    this.rows = this.every;
  }

  point(row) {
    return this.points.subarray(3 * row, 3 * row + 3);
  }

  normal(row) {
    return this.normals.subarray(3 * row, 3 * row + 3);
  }

  involves(row, body) {
    return this.a[row] === body || this.b[row] === body;
  }

  /** Show only the contacts of a body, or all for -1. */
  select(body) {
    this.rows = body < 0 ? this.every : this.every.filter((row) => this.involves(row, body));
  }

  /** The contact shown after, or before, a moment; at the moment itself those after, or before, contact `row`. -1: none. */
  next(t, row, direction) {
    const rows = this.rows;
    if (direction > 0) {
      const found = rows.find((k) => this.time[k] > t || (this.time[k] === t && k > row));
      return found ?? -1;
    }
    const found = rows.findLast((k) => this.time[k] < t || (this.time[k] === t && k < row && row >= 0));
    return found ?? -1;
  }

  /** How many of all contacts are not after t. */
  countUntil(t) {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.time[middle] <= t) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
