/** Reads a file of entries, and cuts it into parts that one request takes. */

export interface EntryFile {
  readonly type: 'text/csv' | 'application/x-ndjson'
  /** The names of the columns; undefined of NDJSON. */
  readonly header: string | undefined
  /** Without the header; the last one is not blank. */
  readonly lines: readonly string[]
}

export interface FilePart {
  readonly body: string
  /** Added to the numbers of lines in the answer, so that they are those of the file. */
  readonly linesBefore: number
}

/** Lines that begin with a brace are NDJSON; else the first line names the columns. */
export function readEntryFile(text: string): EntryFile {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  while (lines.length > 0 && lines.at(-1)?.trim() === '') lines.pop()
  if (lines[0]?.trimStart().startsWith('{')) {
    return { type: 'application/x-ndjson', header: undefined, lines }
  }
  const [header = '', ...rest] = lines
  return { type: 'text/csv', header, lines: rest }
}

/** Why the file cannot be imported; undefined where it can. */
export function findProblem({ header, lines }: EntryFile, column: string): string | undefined {
  if (lines.length === 0) return 'The file has no entries.'
  if (header === undefined) return undefined
  const columns = header.split(',').map((name) => name.trim().replaceAll('"', ''))
  if (columns.includes(column)) return undefined
  return `The first line must name the columns, ${column} among them; it is: ${header.slice(0, 200)}`
}

const linesMax = 2_000
const charactersMax = 500_000

export function cutParts({ header, lines }: EntryFile): readonly FilePart[] {
  const parts: FilePart[] = []
  let part: string[] = []
  let characters = 0
  let linesBefore = 0
  const end = () => {
    const body = [...(header === undefined ? [] : [header]), ...part].join('\n')
    parts.push({ body: `${body}\n`, linesBefore })
    linesBefore += part.length
    part = []
    characters = 0
  }
  for (const line of lines) {
    if (part.length === linesMax || characters > charactersMax) end()
    part.push(line)
    characters += line.length
  }
  if (part.length > 0) end()
  return parts
}
