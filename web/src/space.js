// Coordinates about a place that moves with the view: the graphics card has only float32, which is fine near the place and
// nowhere else, and where space repeats every thing is shown at its image nearest to the place.

export class Space {
  constructor(periods) {
    this.periods = periods;
    this.origin = [0, 0, 0];
  }

  /** A world coordinate as it is drawn. */
  relative(value, axis) {
    const distance = value - this.origin[axis];
    const period = this.periods[axis];
    return period > 0 ? distance - period * Math.round(distance / period) : distance;
  }

  /** A point (array of 3) as it is drawn. */
  local(point) {
    return [0, 1, 2].map((axis) => this.relative(point[axis], axis));
  }
}
