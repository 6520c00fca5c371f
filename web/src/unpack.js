// Reads what carom.view.page_data writes: base64 of gzip of a header and arrays whose bytes are stored by significance.

const TYPES = {
  f8: Float64Array, f4: Float32Array, i4: Int32Array, u4: Uint32Array, u2: Uint16Array, u1: Uint8Array,
};
const VERSION = 2;

/** The replay's header with its arrays in `arrays`, by name. */
export async function unpack(base64) {
  const packed = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  if (header.version !== VERSION) throw new Error(`data of version ${header.version}; this page reads ${VERSION}`);
  const arrays = {};
  for (const [name, [code, offset, size]] of Object.entries(header.arrays)) {
    arrays[name] = gathered(bytes, 4 + length + offset, size, TYPES[code]);
  }
  return { ...header, arrays };
}

/** `size` numbers of a type from bytes by significance: all first bytes, then all second ones, and so on. */
function gathered(bytes, begin, size, Type) {
  const width = Type.BYTES_PER_ELEMENT;
  const values = new Type(size);
  const target = new Uint8Array(values.buffer);
  for (let place = 0; place < width; place++) {
    const from = begin + place * size;
    for (let k = 0; k < size; k++) target[k * width + place] = bytes[from + k];
  }
  return values;
}
