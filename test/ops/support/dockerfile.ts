/** The instructions of a Dockerfile, one each, lines that go on joined. */

import { readFileSync } from 'node:fs'

export interface Instruction {
  readonly name: string
  readonly text: string
}

/** Throws for a line that is no instruction. */
export function readDockerfile(file: string): readonly Instruction[] {
  const lines = readFileSync(file, 'utf8')
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  return lines.map((line) => {
    const [, name = '', text = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    if (name === '') throw new Error(`no instruction: ${line}`)
    return { name, text }
  })
}

/** What its `ENV` instructions set. */
export function environmentOf(
  instructions: readonly Instruction[],
): Readonly<Record<string, string>> {
  const entries = instructions
    .filter(({ name }) => name === 'ENV')
    .flatMap(({ text }) => text.split(' '))
    .map((entry) => entry.split('=') as [string, string])
  return Object.fromEntries(entries)
}
