// Contacts of the last moment as dots that fade: while the replay plays they say where it happens.

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Points, ShaderMaterial } from "three";
import { SPARK } from "./colours.js";

const MOST = 400;
/** Seconds on the clock, not of the replay, that a spark is seen. */
const SECONDS = 0.6;

export class Sparks {
  constructor(contacts, space) {
    this.contacts = contacts;
    this.space = space;
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(3 * MOST), 3).setUsage(DynamicDrawUsage));
    geometry.setAttribute("age", new BufferAttribute(new Float32Array(MOST), 1).setUsage(DynamicDrawUsage));
    const material = new ShaderMaterial({
      uniforms: { colour: { value: SPARK }, scale: { value: Math.min(devicePixelRatio, 2) } },
      vertexShader: `
        attribute float age;
        varying float left;
        uniform float scale;
        void main() {
          left = 1.0 - age;
          gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
          gl_PointSize = scale * (5.0 + 9.0 * age);
        }`,
      fragmentShader: `
        varying float left;
        uniform vec3 colour;
        void main() {
          float off = length(gl_PointCoord - 0.5) * 2.0;
          if (off > 1.0) discard;
          gl_FragColor = vec4(colour, left * smoothstep(1.0, 0.6, off));
          #include <colorspace_fragment>
        }`,
      transparent: true,
      depthTest: false,
      depthWrite: false,
    });
    this.points = new Points(geometry, material);
    this.points.frustumCulled = false;
    this.points.renderOrder = 5;
  }

  /** Those before t, at a speed in seconds of the replay a second; only of one body, or of all for -1. */
  update(t, speed, body) {
    const { contacts } = this;
    const { position, age } = this.points.geometry.attributes;
    const window = SECONDS * speed;
    let shown = 0;
    for (let row = contacts.countUntil(t) - 1; row >= 0 && shown < MOST; row--) {
      const passed = (t - contacts.time[row]) / window;
      if (passed >= 1) break;
      if (body >= 0 && !contacts.involves(row, body)) continue;
      position.array.set(this.space.local(contacts.point(row)), 3 * shown);
      age.array[shown++] = passed;
    }
    this.points.geometry.setDrawRange(0, shown);
    position.needsUpdate = age.needsUpdate = true;
  }
}
