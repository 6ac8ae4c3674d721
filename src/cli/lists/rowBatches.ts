/** Splits an import file into batches; each CSV batch repeats the header. */

/** The formats of import and export files. */
export const formats = ['ndjson', 'csv'] as const
export type Format = (typeof formats)[number]

/** A batch takes a busy service some seconds. */
const linesMax = 500
const charactersMax = 1024 * 1024

export interface Batch {
  /** What is sent. */
  readonly text: string
  /** To be added to the number of a line in it for that in the file. */
  readonly linesBefore: number
  /** Its last line, as the file numbers it. */
  readonly lastLine: number
}

interface Cutting {
  readonly format: Format
  /** The lines up to this one are left out. */
  readonly afterLine: number
}

/** Splits lines into batches. Each batch of a CSV file begins with the header. */
export async function* batchesOf(
  lines: AsyncIterable<string>,
  { format, afterLine }: Cutting,
): AsyncGenerator<Batch> {
  let header: string | undefined
  let line = 0
  let kept: string[] = []
  let characters = 0
  let isBegun = false
  const taken = (): Batch => {
    const head = header === undefined ? [] : [header]
    const text = `${[...head, ...kept].join('\n')}\n`
    const batch = { text, linesBefore: line - kept.length - head.length, lastLine: line }
    kept = []
    characters = 0
    isBegun = true
    return batch
  }
  for await (const text of lines) {
    line += 1
    if (format === 'csv' && header === undefined && text !== '') header = text
    else if (line > afterLine) {
      kept.push(text)
      characters += text.length
    }
    if (kept.length >= linesMax || characters >= charactersMax) yield taken()
  }
  // a file of no entries is still one whose columns are to be looked at
  if (kept.length > 0 || (header !== undefined && !isBegun)) yield taken()
}
