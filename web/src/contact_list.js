// The list of contacts: only the rows in sight exist, however many contacts there are.

const ROW = 24;

export class ContactList {
  constructor(element, contacts, open) {
    Object.assign(this, { element, contacts });
    this.space = document.createElement("div");
    this.rows = document.createElement("div");
    this.rows.className = "rows";
    this.space.append(this.rows);
    element.append(this.space);
    this.shown = -1;
    element.addEventListener("scroll", () => this.draw());
    element.addEventListener("click", (event) => {
      const row = event.target.closest("[data-row]");
      if (row !== null) open(Number(row.dataset.row));
    });
  }

  /** The selection has changed. */
  layout() {
    this.space.style.height = `${this.contacts.rows.length * ROW}px`;
    this.element.scrollTop = 0;
    this.draw();
  }

  /** Mark a contact, -1 for none, and bring it into sight. */
  mark(contact) {
    this.shown = contact;
    const place = contact < 0 ? -1 : this.contacts.rows.indexOf(contact);
    const top = place * ROW;
    const { scrollTop, clientHeight } = this.element;
    if (place >= 0 && (top < scrollTop || top > scrollTop + clientHeight - ROW)) {
      this.element.scrollTop = top - clientHeight / 2;
    }
    this.draw();
  }

  draw() {
    const { contacts } = this;
    const first = Math.floor(this.element.scrollTop / ROW);
    const count = Math.ceil(this.element.clientHeight / ROW) + 1;
    this.rows.style.top = `${first * ROW}px`;
    this.rows.replaceChildren(...Array.from(contacts.rows.subarray(first, first + count), (row) => this.line(row)));
  }

  line(row) {
    const { contacts } = this;
    const line = document.createElement("button");
    line.className = row === this.shown ? "row shown" : "row";
    line.dataset.row = row;
    const time = document.createElement("span");
    time.textContent = contacts.time[row].toFixed(6);
    const who = document.createElement("span");
    who.textContent = contacts.a[row] === contacts.b[row]
      ? `${contacts.names[contacts.a[row]]} – itself`
      : `${contacts.names[contacts.a[row]]} – ${contacts.names[contacts.b[row]]}`;
    line.title = who.textContent;
    line.append(time, who);
    return line;
  }
}
