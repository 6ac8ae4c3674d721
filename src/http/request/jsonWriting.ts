/** A large answer written as JSON a piece at a time, so that others have their turns in between. */

/** Characters that are written in one piece, or one text more. */
const pieceChars = 16 * 1024
/** A value of fewer characters than about this is written at once. */
const smallChars = 4 * 1024
/** What a value comes to beside its texts, about. */
const valueChars = 12

/** JSON ready to be sent: a text, or the bytes of a long one, so that nothing has to go through all of it at once. */
export type WrittenJson = string | Buffer

/** What `JSON.stringify` makes of the value, with a pause behind each piece; bytes in UTF-8 where it has more than one. */
export function* jsonInPieces(value: object): Generator<undefined, WrittenJson> {
  if (!isLarge(value)) return textOf(value) ?? 'null'
  const writing: Writing = { texts: [], chars: 0, pieces: [] }
  yield* writeLarge(value, writing)
  if (writing.pieces.length === 0) return writing.texts.join('')
  endPiece(writing)
  return Buffer.concat(writing.pieces)
}

interface Writing {
  /** Of the piece that is being written. */
  texts: string[]
  chars: number
  readonly pieces: Buffer[]
}

function write(writing: Writing, text: string): void {
  writing.texts.push(text)
  writing.chars += text.length
}

function endPiece(writing: Writing): void {
  writing.pieces.push(Buffer.from(writing.texts.join('')))
  writing.texts = []
  writing.chars = 0
}

function* writeLarge(value: object, writing: Writing): Generator<undefined, void> {
  if (Array.isArray(value)) yield* writeList(value, writing)
  else yield* writeObject(value, writing)
}

function* writeList(list: readonly unknown[], writing: Writing): Generator<undefined, void> {
  let before = '['
  for (const one of list) {
    yield* writeNext(before, isLarge(one) ? one : (textOf(one) ?? 'null'), writing)
    before = ','
  }
  write(writing, list.length === 0 ? '[]' : ']')
}

function* writeObject(object: object, writing: Writing): Generator<undefined, void> {
  let before = '{'
  for (const [name, member] of Object.entries(object)) {
    const written = isLarge(member) ? member : textOf(member)
    if (written === undefined) continue
    yield* writeNext(`${before}${JSON.stringify(name)}:`, written, writing)
    before = ','
  }
  write(writing, before === '{' ? '{}' : '}')
}

/** Undefined for what has no text. */
function textOf(value: unknown): string | undefined {
  return JSON.stringify(value)
}

/** What is written already, or is large, behind what stands before it. */
function* writeNext(
  before: string,
  next: string | object,
  writing: Writing,
): Generator<undefined, void> {
  write(writing, before)
  if (typeof next === 'string') write(writing, next)
  else yield* writeLarge(next, writing)
  if (writing.chars < pieceChars) return
  endPiece(writing)
  yield
}

/** A list or an object that does not say itself how it is written, and is worth pauses. */
function isLarge(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('toJSON' in value) && !isSmall(value)
}

/** Looks at little more of it than what is small. */
function isSmall(value: object): boolean {
  const open: unknown[] = [value]
  let chars = 0
  while (open.length > 0 && chars + open.length * valueChars <= smallChars) {
    const next = open.pop()
    chars += valueChars + (typeof next === 'string' ? next.length : 0)
    if (typeof next !== 'object' || next === null) continue
    for (const inner of Object.values(next)) open.push(inner)
  }
  return open.length === 0 && chars <= smallChars
}
