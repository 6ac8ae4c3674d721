/** Compares, counts and changes the case of text as CEL does: by code points, ASCII case only. */

/** Compares two texts by code points: below 0, 0 or above 0. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  let at = 0
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1
  if (at === length) return a.length - b.length
  return rankCodeUnit(a.charCodeAt(at)) - rankCodeUnit(b.charCodeAt(at))
}

/** UTF-16 puts the halves of astral characters (D800 to DFFF) below E000 to FFFF; by code points they come after. */
function rankCodeUnit(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

/** How many code points the text has; half a surrogate pair counts as one. */
export function textSize(text: string): number {
  let size = text.length
  for (let at = 0; at < text.length - 1; at++) {
    if (
      (text.charCodeAt(at) & 0xfc00) === 0xd800 &&
      (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00
    ) {
      size -= 1
      at += 1
    }
  }
  return size
}

const asciiOnly = /^[\0-\x7f]*$/

export function lowerAscii(text: string): string {
  return asciiOnly.test(text) ? text.toLowerCase() : switchAsciiCase(text, 65)
}

export function upperAscii(text: string): string {
  return asciiOnly.test(text) ? text.toUpperCase() : switchAsciiCase(text, 97)
}

/** The text with the 26 letters from `first` on in the other case, unit by unit. */
function switchAsciiCase(text: string, first: number): string {
  const bytes = Buffer.from(text, 'utf16le')
  for (let at = 0; at < bytes.length; at += 2) {
    const low = bytes[at] ?? 0
    if (low >= first && low < first + 26 && bytes[at + 1] === 0) bytes[at] = low ^ 32
  }
  return bytes.toString('utf16le')
}
