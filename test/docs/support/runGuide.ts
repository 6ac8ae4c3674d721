/** Runs the commands of a guide in their order, as a reader pastes them into one shell. */

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { startVigil } from '../../support/startedVigil.ts'

/** What stands between fences: commands (`sh`), a command with what it prints (`console`), commands for other machines (`sh elsewhere`), or none. */
export interface Block {
  readonly kind: string
  readonly text: string
}

export interface RanBlock extends Block {
  /** What it wrote to standard output; of a `console` block to standard error too. */
  readonly printed: string
}

/** The blocks of a page; those in lists too. */
export function blocksOf(page: string): readonly Block[] {
  const fences = readFileSync(page, 'utf8').matchAll(/^ *```(.*)\n([\s\S]*?)^ *```$/gm)
  return [...fences].map(([, kind = '', text = '']) => ({ kind, text }))
}

/** The command of a `console` block, its continued lines with it, and what it prints. */
export function shownBy(text: string): { readonly command: string; readonly prints: string } {
  const [, command = '', prints = ''] = /^\$ ((?:[^\n]*\\\n)*[^\n]*)\n(.*)$/s.exec(text) ?? []
  return { command, prints }
}

/** What a block that shows an output matches: `…` on a line is any text, alone on one any number of lines. */
export function patternOf(prints: string): RegExp {
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const lines = prints
    .split('\n')
    .map((line) => (line === '…' ? '[\\s\\S]*?' : line.split('…').map(literal).join('.*')))
  return new RegExp(`^${lines.join('\n')}$`)
}

/** Runs it on a service of its own, with what the first start prints in the environment. Throws with the block that failed. */
export async function runGuide(page: string): Promise<readonly RanBlock[]> {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-guide-'))
  const blocks = blocksOf(page).filter(({ kind }) => ['sh', 'console'].includes(kind))
  const vigil = await startVigil(join(folder, 'data'))
  try {
    for (const name of ['work', 'printed', 'backups']) mkdirSync(join(folder, name))
    const script = scriptOf(blocks)
      .replaceAll('/var/lib/vigil', join(folder, 'data'))
      .replaceAll('/mnt/backups', join(folder, 'backups'))
    const exported = [...vigil.printed().matchAll(/^ {2}export (\w+)=(\S+)$/gm)]
    await promisify(execFile)('bash', ['--norc', '-c', script], {
      cwd: join(folder, 'work'),
      timeout: 240_000,
      env: {
        PATH: process.env['PATH'],
        TMPDIR: folder,
        XDG_CONFIG_HOME: folder,
        PRINTED: join(folder, 'printed'),
        ...Object.fromEntries(exported.map(([, name, value]) => [name, value])),
      },
    }).catch(({ message, stderr }: Error & { readonly stderr: string }) => {
      throw new Error(`${stderr}\n${message}`)
    })
    return blocks.map((block, index) => ({
      ...block,
      printed: readFileSync(join(folder, 'printed', String(index)), 'utf8'),
    }))
  } finally {
    await vigil.stop('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
}

function scriptOf(blocks: readonly Block[]): string {
  const root = resolve('.')
  return [
    'set -euo pipefail',
    // what is installed as `vigil` is run as it was built
    `npx() { if [ "$1" = vigil ]; then shift; '${process.execPath}' '${root}/dist/cli/main.js' "$@"; else "${root}/node_modules/.bin/$1" "\${@:2}"; fi; }`,
    // a refusal ends the script
    'curl() { command curl --fail-with-body "$@"; }',
    ...blocks.map(({ kind, text }, index) => {
      const [at, to] = [`echo 'block ${index}:' >&2`, `>"$PRINTED/${index}"`]
      return kind === 'sh'
        ? `${at}\n{\n${text}} ${to}`
        : `${at}\n{\n${shownBy(text).command}\n} ${to} 2>&1 || true`
    }),
  ].join('\n')
}
