// What is known of the contact that is shown: when, where, which bodies, how fast.

const triple = (values) => Array.from(values, (value) => number(value)).join(", ");

/** Seven digits, without an exponent where that is readable, and no minus before zero. */
function number(value) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size < 1e-4 || size >= 1e7 ? value.toExponential(4) : String(Number(value.toPrecision(7)));
}

export class Details {
  /** `pick(body)` is called when the user points at a body's name, `close()` at the cross. */
  constructor(element, contacts, pick, close) {
    Object.assign(this, { element, contacts, pick, close });
  }

  show(row) {
    this.element.hidden = row < 0;
    if (row < 0) return;
    const { contacts } = this;
    const title = document.createElement("header");
    const cross = document.createElement("button");
    cross.textContent = "×";
    cross.title = "show all bodies again (Esc)";
    cross.addEventListener("click", () => this.close());
    const name = document.createElement("h2");
    name.textContent = `Contact ${(row + 1).toLocaleString("en")} of ${contacts.count.toLocaleString("en")}`;
    title.append(name, cross);
    const table = document.createElement("dl");
    const add = (term, ...content) => {
      const key = document.createElement("dt");
      const value = document.createElement("dd");
      key.textContent = term;
      value.append(...content);
      table.append(key, value);
    };
    add("time", `${contacts.time[row]} s`);
    add("bodies", this.body(contacts.a[row], contacts.faceA[row], "a"), this.body(contacts.b[row], contacts.faceB[row], "b"));
    add("point", triple(contacts.point(row)));
    add("normal", triple(contacts.normal(row)));
    add("closing at", Number.isFinite(contacts.speed[row]) ? `${number(contacts.speed[row])} m/s` : "–");
    add("how", contacts.words[contacts.kind[row]] ?? "–");
    this.element.replaceChildren(title, table);
  }

  body(body, face, side) {
    const line = document.createElement("button");
    line.className = `body ${side}`;
    line.textContent = this.contacts.names[body] + (face >= 0 ? `, face ${face}` : "");
    line.title = "show only this body's contacts";
    line.addEventListener("click", () => this.pick(body));
    return line;
  }
}
