/** A large answer written as JSON a piece at a time, so that others have their turns in between. */

/** Characters that are written in one piece, or one text more. */
const pieceChars = 16 * 1024
/** A value of fewer characters than about this is written at once. */
const smallChars = 4 * 1024
/** What a value comes to beside its texts, about. */
const valueChars = 12

/** The text that `JSON.stringify` makes of the value, with a pause behind each piece. */
export function* jsonInPieces(value: object): Generator<undefined, string> {
  const written = { sincePause: 0 }
  return (yield* textOf(value, written)) ?? 'null'
}

interface Written {
  /** Characters since the last pause. */
  sincePause: number
}

function* textOf(value: unknown, written: Written): Generator<undefined, string | undefined> {
  if (isPlain(value) && !isSmall(value)) {
    return Array.isArray(value)
      ? yield* listText(value, written)
      : yield* objectText(value, written)
  }
  const text: string | undefined = JSON.stringify(value)
  written.sincePause += text?.length ?? 0
  if (written.sincePause >= pieceChars) {
    written.sincePause = 0
    yield
  }
  return text
}

function* listText(list: readonly unknown[], written: Written): Generator<undefined, string> {
  const parts: string[] = []
  for (const one of list) parts.push((yield* textOf(one, written)) ?? 'null')
  return `[${parts.join(',')}]`
}

function* objectText(object: object, written: Written): Generator<undefined, string> {
  const parts: string[] = []
  for (const [name, member] of Object.entries(object)) {
    const text = yield* textOf(member, written)
    if (text !== undefined) parts.push(`${JSON.stringify(name)}:${text}`)
  }
  return `{${parts.join(',')}}`
}

/** A list or an object that does not say itself how it is written. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('toJSON' in value)
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
