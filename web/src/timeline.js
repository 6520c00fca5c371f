// The timeline: every contact a mark, taller where many share a place, the present moment a line.

const MARGIN = 10;
const RULER = 16;
/** Pixels within which a mark is meant, and up to which a press is no drag. */
const NEAR = 3;
const INK = "#22303c";
const QUIET = "#6b7a88";
const FAINT = "#c3d2dd";
const MARK = "#2a6f97";
const HIT = "#d62828";

export class Timeline {
  /** `seek(t)` and `open(contact)` are called when the user points at a moment or a mark. */
  constructor(canvas, contacts, begin, end, seek, open) {
    Object.assign(this, { canvas, contacts, begin, end, seek, open });
    this.pen = canvas.getContext("2d");
    this.hover = null;
    /** Where the pointer went down, null while it is up. */
    this.pressed = null;
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", () => (this.pressed = null));
    canvas.addEventListener("pointerleave", () => this.move(null));
  }

  x(t) {
    return MARGIN + ((t - this.begin) / (this.end - this.begin)) * (this.width - 2 * MARGIN);
  }

  /** The moment under an event. */
  t(event) {
    const share = (event.offsetX - MARGIN) / (this.width - 2 * MARGIN);
    return this.begin + Math.min(1, Math.max(0, share)) * (this.end - this.begin);
  }

  /** The mark nearest to an event and near enough, -1 for none. */
  near(event) {
    const t = this.t(event);
    let best = -1;
    let least = (NEAR / (this.width - 2 * MARGIN)) * (this.end - this.begin);
    for (const row of this.contacts.rows) {
      const apart = Math.abs(this.contacts.time[row] - t);
      if (apart < least) [best, least] = [row, apart];
    }
    return best;
  }

  press(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pressed = event.offsetX;
    const row = event.offsetY < this.height - RULER && !event.shiftKey ? this.near(event) : -1;
    if (row >= 0) this.open(row);
    else this.seek(this.t(event));
  }

  move(event) {
    this.hover = event === null ? null : this.t(event);
    if (this.pressed !== null && event !== null && Math.abs(event.offsetX - this.pressed) > NEAR) {
      this.pressed = -Infinity;
      this.seek(this.t(event));
    }
    this.changed?.();
  }

  /** The window or the selection has changed. */
  layout() {
    const scale = Math.min(devicePixelRatio, 2);
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.canvas.width = Math.round(this.width * scale);
    this.canvas.height = Math.round(this.height * scale);
    this.scale = scale;
    this.all = this.counts(this.contacts.every);
    this.chosen = this.contacts.rows === this.contacts.every ? this.all : this.counts(this.contacts.rows);
  }

  /** Contacts at each pixel. */
  counts(rows) {
    const counts = new Uint32Array(Math.max(1, Math.ceil(this.width)));
    for (const row of rows) counts[Math.round(this.x(this.contacts.time[row]))]++;
    return counts;
  }

  draw(state) {
    const { pen, width, height } = this;
    pen.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    const floor = height - RULER;
    this.drawRuler(floor);
    if (this.chosen === this.all) {
      this.drawMarks(this.all, floor, MARK, this.contacts.count < width / 4 ? 2 : 1);
    } else {
      this.drawMarks(this.all, floor, FAINT, 1);
      this.drawMarks(this.chosen, floor, MARK, 2);
    }
    if (state.contact >= 0) {
      pen.fillStyle = HIT;
      pen.fillRect(this.x(this.contacts.time[state.contact]) - 1, 0, 2, floor);
    }
    const now = this.x(state.t);
    pen.fillStyle = INK;
    pen.fillRect(now - 0.75, 0, 1.5, floor + 3);
    pen.beginPath();
    pen.moveTo(now - 5, 0);
    pen.lineTo(now + 5, 0);
    pen.lineTo(now, 7);
    pen.fill();
    if (this.hover !== null) this.drawHover(floor);
  }

  drawMarks(counts, floor, colour, wide) {
    this.pen.fillStyle = colour;
    const tallest = floor - 8;
    const most = Math.max(1, ...counts);
    counts.forEach((count, x) => {
      if (count === 0) return;
      const share = most === 1 ? 0.6 : Math.max(0.2, count / most);
      this.pen.fillRect(x - wide / 2, floor - share * tallest, wide, share * tallest);
    });
  }

  drawRuler(floor) {
    const { pen, width } = this;
    pen.fillStyle = FAINT;
    pen.fillRect(MARGIN, floor, width - 2 * MARGIN, 1);
    pen.fillStyle = QUIET;
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "top";
    pen.textAlign = "center";
    const step = niceStep((this.end - this.begin) / Math.max(2, width / 90));
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    for (let k = Math.ceil(this.begin / step - 1e-9); k * step <= this.end + 1e-9 * step; k++) {
      const x = this.x(k * step);
      pen.fillRect(x - 0.5, floor, 1, 4);
      const label = `${(k * step).toFixed(Math.min(digits, 12))}`;
      pen.fillText(label, Math.min(width - 14, Math.max(14, x)), floor + 5);
    }
  }

  drawHover(floor) {
    const { pen } = this;
    const x = this.x(this.hover);
    pen.fillStyle = QUIET;
    pen.fillRect(x - 0.5, 0, 1, floor);
    pen.textAlign = x > this.width - 90 ? "right" : "left";
    pen.textBaseline = "top";
    const label = `${this.hover.toPrecision(6)} s`;
    pen.fillText(label, x + (pen.textAlign === "left" ? 6 : -6), 1);
  }
}

/** 1, 2 or 5 times a power of ten, at least `least`. */
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= least * (1 - 1e-9));
}
