// The 3D view: renderer, camera, light, and flights of the camera. Everything drawn is about `space.origin`.

import {
  DirectionalLight, Fog, HemisphereLight, PerspectiveCamera, Plane, Raycaster, Scene, Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { HAZE } from "./colours.js";

const FLIGHT_SECONDS = 0.45;
const ANGLE = 45;

/** Can this browser draw in 3D? */
export function canDraw() {
  try {
    return document.createElement("canvas").getContext("webgl2") !== null;
  } catch {
    return false;
  }
}

export class Stage {
  constructor(canvas, space, room) {
    this.space = space;
    this.room = Math.hypot(...[0, 1, 2].map((axis) => room[1][axis] - room[0][axis]));
    this.renderer = new WebGLRenderer({ canvas, antialias: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.localClippingEnabled = true;
    /** Half-way to what is looked at: dim bodies before it would only be in the way. */
    this.curtain = new Plane();
    this.scene = new Scene();
    this.scene.background = HAZE;
    this.scene.fog = new Fog(HAZE, 1, 2);
    this.camera = new PerspectiveCamera(ANGLE, 1, 0.1, 100);
    this.camera.up.set(0, 0, 1);
    this.scene.add(this.camera, new HemisphereLight(0xffffff, 0xaebac4, 2.1));
    const lamp = new DirectionalLight(0xffffff, 1.7);
    lamp.position.set(-0.55, 0.75, 0.75);
    this.camera.add(lamp, lamp.target);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomSpeed = 1.5;
    this.controls.addEventListener("start", () => (this.flight = null));
    this.flight = null;
    this.ray = new Raycaster();
    this.lookAtBox(room[0], room[1], true);
  }

  get element() {
    return this.renderer.domElement;
  }

  add(...things) {
    this.scene.add(...things);
  }

  /** Make the place (array of 3) the origin of all that is drawn; the view stays where it is. */
  moveOrigin(place) {
    const shift = new Vector3(...this.space.local(place));
    this.space.origin = [...place];
    this.camera.position.sub(shift);
    this.controls.target.sub(shift);
  }

  /** See the whole box from where the camera looks, or at first from in front and above. */
  lookAtBox(low, high, first = false) {
    const middle = low.map((value, axis) => (value + high[axis]) / 2);
    const size = Math.hypot(...low.map((value, axis) => high[axis] - value)) || 1;
    const distance = (0.5 * size) / Math.sin((ANGLE * Math.PI) / 360);
    if (first) {
      this.space.origin = middle;
      this.camera.position.set(0.55, -0.85, 0.42).setLength(distance);
      this.controls.target.set(0, 0, 0);
      this.controls.update();
    } else {
      this.flyTo(middle, this.camera.position.clone().sub(this.controls.target), distance);
    }
  }

  /** Fly to look at a place from a direction at a distance. */
  flyTo(place, direction, distance) {
    this.moveOrigin(place);
    const goal = direction.clone().setLength(distance);
    const seconds = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : FLIGHT_SECONDS;
    this.flight = { from: this.camera.position.clone(), target: this.controls.target.clone(), goal, passed: 0, seconds };
  }

  /** Look at a contact across its normal, from the side that is nearest to where the camera is, and leaning by `lean` along
   * the normal; by a little for 0, so that flat things are not seen edge on. */
  flyToContact(point, normal, distance, lean) {
    const along = new Vector3(...normal);
    const now = this.camera.position.clone().sub(this.controls.target);
    const direction = now.clone().projectOnPlane(along);
    if (direction.length() < 0.05 * now.length()) direction.set(0.3, -1, 0.4).projectOnPlane(along);
    const aslant = lean || (now.dot(along) < 0 ? -0.3 : 0.3);
    this.flyTo(point, direction.normalize().addScaledVector(along, aslant), distance);
  }

  /** Move on in a flight; true while there is one. */
  fly(seconds) {
    const flight = this.flight;
    if (flight === null) return false;
    flight.passed += seconds;
    const share = flight.seconds > 0 ? Math.min(1, flight.passed / flight.seconds) : 1;
    const eased = share * share * (3 - 2 * share);
    this.camera.position.lerpVectors(flight.from, flight.goal, eased);
    this.controls.target.lerpVectors(flight.target, new Vector3(), eased);
    this.controls.update();
    if (share === 1) this.flight = null;
    return true;
  }

  resize(width, height) {
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
  }

  /** How long one pixel is at the place that is looked at. */
  pixelSize() {
    const distance = this.camera.position.distanceTo(this.controls.target);
    return (2 * distance * Math.tan((ANGLE * Math.PI) / 360)) / this.element.clientHeight;
  }

  render() {
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = 0.01 * distance;
    this.camera.far = distance + 4 * this.room;
    this.camera.updateProjectionMatrix();
    const ahead = this.camera.getWorldDirection(new Vector3());
    this.curtain.setFromNormalAndCoplanarPoint(ahead, this.camera.position.clone().addScaledVector(ahead, 0.55 * distance));
    this.scene.fog.near = 1.2 * distance;
    this.scene.fog.far = 1.2 * distance + 1.3 * this.room;
    this.renderer.render(this.scene, this.camera);
  }

  /** What of the things is under a point of the window: three's intersections, nearest first. */
  under(x, y, things) {
    const box = this.element.getBoundingClientRect();
    const place = new Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
    this.ray.setFromCamera(place, this.camera);
    return this.ray.intersectObjects(things, false);
  }
}
