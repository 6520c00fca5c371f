// The replay page: reads its data, keeps the state, and lets the parts show it.

import { ContactList } from "./contact_list.js";
import { Contacts } from "./contacts.js";
import { Details } from "./details.js";
import { MOST } from "./sphere_levels.js";
import { canDraw } from "./stage.js";
import { Timeline } from "./timeline.js";
import { unpack } from "./unpack.js";
import { View3D } from "./view3d.js";

const $ = (id) => document.getElementById(id);
const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
/** Seconds on the clock that a replay should take at its first speed, at least. */
const UNHURRIED = 6;
const CLICK_PIXELS = 4;

class Player {
  constructor(replay) {
    this.replay = replay;
    this.contacts = new Contacts(replay);
    const speed = SPEEDS.findLast((value) => value <= 1 && (replay.end - replay.begin) / value >= UNHURRIED) ?? SPEEDS[0];
    this.state = { t: replay.begin, playing: false, speed, contact: -1, body: -1, dim: true };
    this.view = canDraw() ? new View3D($("canvas"), replay, this.contacts) : null;
    $("sorry").hidden = this.view !== null;
    const open = (row) => this.openContact(row);
    this.timeline = new Timeline($("timeline"), this.contacts, replay.begin, replay.end, (t) => this.seek(t), open);
    this.timeline.changed = () => this.refresh();
    this.list = new ContactList($("list"), this.contacts, open);
    this.details = new Details($("details"), this.contacts, (body) => this.pick(body), () => this.clear());
    this.dirty = true;
    this.last = performance.now();
    this.describe();
    this.listen();
    this.list.layout();
    this.layout();
    this.fromAddress();
    requestAnimationFrame((now) => this.frame(now));
  }

  // ---- what the user can do

  seek(t) {
    this.state.t = Math.min(this.replay.end, Math.max(this.replay.begin, t));
    this.refresh();
  }

  toggle() {
    if (!this.state.playing && this.state.t >= this.replay.end) this.state.t = this.replay.begin;
    this.state.playing = !this.state.playing;
    this.refresh();
  }

  setSpeed(speed) {
    this.state.speed = speed;
    this.refresh();
  }

  /** Go to a contact: stop there, fly to it, dim all others. */
  openContact(row) {
    this.state.playing = false;
    this.state.contact = row;
    this.seek(this.contacts.time[row]);
    this.selected();
    this.view?.flyToContact(row);
  }

  step(direction) {
    const row = this.contacts.next(this.state.t, this.state.contact, direction);
    if (row >= 0) this.openContact(row);
  }

  /** Show only the contacts of a body, of all for -1. */
  pick(body) {
    this.state.body = body;
    if (body < 0 || !(this.state.contact >= 0 && this.contacts.involves(this.state.contact, body))) this.state.contact = -1;
    this.contacts.select(body);
    this.list.layout();
    this.timeline.layout();
    this.selected();
  }

  /** No contact and no body. */
  clear() {
    this.state.contact = -1;
    this.pick(-1);
  }

  setDim(dim) {
    this.state.dim = dim;
    this.selected();
  }

  setBoxes(shown) {
    if (this.view !== null) this.view.boxes.lines.visible = shown;
    this.refresh();
  }

  setLevel(level) {
    this.view?.levels.choose(level);
    this.refresh();
  }

  fit() {
    this.view?.fit();
    this.refresh();
  }

  // ---- what follows from it

  selected() {
    this.view?.select(this.state);
    this.details.show(this.state.contact);
    this.list.mark(this.state.contact);
    this.describeSelection();
    this.refresh();
  }

  refresh() {
    this.dirty = true;
  }

  layout() {
    const { clientWidth, clientHeight } = $("view");
    this.view?.resize(clientWidth, clientHeight);
    this.timeline.layout();
    this.list.draw();
    this.refresh();
  }

  frame(now) {
    requestAnimationFrame((next) => this.frame(next));
    const seconds = Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    const { state } = this;
    if (state.playing) {
      this.seek(state.t + seconds * state.speed);
      if (state.t >= this.replay.end) state.playing = false;
    }
    if (!this.dirty) return;
    this.dirty = this.view?.draw(state, seconds) ?? false;
    this.timeline.draw(state);
    this.describeMoment();
  }

  // ---- words

  describe() {
    const { replay, contacts } = this;
    const bodies = count(replay.names.length, "body", "bodies");
    const touches = count(contacts.count, "contact", "contacts");
    $("title").textContent = replay.title;
    $("about").textContent = `${bodies}, ${touches}, ${round(replay.begin)} to ${round(replay.end)} s`;
    for (const speed of SPEEDS) $("speed").append(new Option(`${speed}×`, speed, false, speed === this.state.speed));
    const levels = this.view?.levels.count ?? 0;
    $("level-choice").hidden = levels === 0;
    for (let level = 0; level < levels; level++) {
      const spheres = this.view.levels.total(level);
      const option = new Option(`level ${level}: ${count(spheres, "sphere", "spheres")}`, level);
      option.disabled = spheres > MOST;
      $("level").append(option);
    }
    $("none").hidden = contacts.count > 0;
    this.describeSelection();
  }

  describeSelection() {
    const { contacts, state } = this;
    const touches = count(contacts.rows.length, "contact", "contacts");
    $("selection").textContent = state.body < 0 ? "All contacts" : `${touches} of ${contacts.names[state.body]}`;
    $("all").hidden = state.body < 0;
  }

  describeMoment() {
    const { state } = this;
    $("time").textContent = `${state.t.toFixed(6)} s`;
    $("passed").textContent = `${count(this.contacts.countUntil(state.t), "contact", "contacts")} so far`;
    $("play").textContent = state.playing ? "❚❚" : "▶";
    $("play").setAttribute("aria-label", state.playing ? "pause" : "play");
  }

  // ---- events

  listen() {
    $("play").addEventListener("click", () => this.toggle());
    $("next").addEventListener("click", () => this.step(1));
    $("previous").addEventListener("click", () => this.step(-1));
    $("all").addEventListener("click", () => this.clear());
    $("fit").addEventListener("click", () => this.fit());
    $("speed").addEventListener("change", (event) => this.setSpeed(Number(event.target.value)));
    $("dim").addEventListener("change", (event) => this.setDim(event.target.checked));
    $("boxes").addEventListener("change", (event) => this.setBoxes(event.target.checked));
    $("level").addEventListener("change", (event) => this.setLevel(Number(event.target.value)));
    addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.layout()).observe($("view"));
    this.view?.onMove(() => this.refresh());
    let down = null;
    $("canvas").addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
    $("canvas").addEventListener("pointerup", (event) => {
      if (down === null || this.view === null) return;
      if (Math.hypot(event.clientX - down[0], event.clientY - down[1]) < CLICK_PIXELS) {
        this.pick(this.view.bodyAt(event.clientX, event.clientY));
      }
    });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLSelectElement) return;
    const actions = {
      " ": () => this.toggle(),
      ArrowRight: () => this.step(1),
      ArrowLeft: () => this.step(-1),
      Home: () => this.seek(this.replay.begin),
      End: () => this.seek(this.replay.end),
      Escape: () => this.clear(),
      f: () => this.fit(),
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  }

  /** What the part of the address after # asks for: t=SECONDS, contact=NUMBER from 1, body=NUMBER from 0, boxes,
   *  level=NUMBER. */
  fromAddress() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const row = Number(wanted.get("contact")) - 1;
    const body = wanted.has("body") ? Number(wanted.get("body")) : -1;
    if (wanted.has("boxes")) {
      $("boxes").checked = true;
      this.setBoxes(true);
    }
    const level = [...$("level").options].find((option) => option.value === wanted.get("level") && !option.disabled);
    if (level !== undefined) {
      $("level").value = level.value;
      this.setLevel(Number(level.value));
    }
    if (Number.isInteger(body) && body >= 0 && body < this.replay.names.length) this.pick(body);
    if (wanted.has("t") && Number.isFinite(Number(wanted.get("t")))) this.seek(Number(wanted.get("t")));
    if (Number.isInteger(row) && row >= 0 && row < this.contacts.count) this.openContact(row);
  }
}

const count = (number, one, many) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
const round = (value) => String(Number(value.toPrecision(6)));

async function begin() {
  try {
    const replay = await unpack($("data").textContent);
    // For the console, and for tests: everything that the page knows and can do.
    globalThis.carom = new Player(replay);
    document.body.dataset.ready = Math.round(performance.now());
  } catch (error) {
    $("sorry").hidden = false;
    $("sorry").textContent = `This replay cannot be shown: ${error.message}`;
    throw error;
  }
}

begin();
