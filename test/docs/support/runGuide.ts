/** Runs the commands of a guide in their order, as a reader pastes them into one shell. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startVigil } from '../../support/startedVigil.ts'

/**
 * What stands between fences: commands (`sh`), a command with what it prints (`console`), commands for other machines
 * (`sh elsewhere`), or none.
 */
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

interface Circumstances {
  /** Beside what the first start prints. */
  readonly env?: Readonly<Record<string, string>>
  /** What a reader does once all commands were given; what they have started runs until it is over. */
  readonly meanwhile?: () => Promise<void>
}

/**
 * Runs it on a service of its own, in a folder with the documents and packages of this one. Throws with the block that
 * failed.
 */
export async function runGuide(
  page: string,
  { env = {}, meanwhile }: Circumstances = {},
): Promise<readonly RanBlock[]> {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-guide-'))
  const blocks = blocksOf(page).filter(({ kind }) => ['sh', 'console'].includes(kind))
  const vigil = await startVigil(join(folder, 'data'))
  try {
    for (const name of ['work', 'printed', 'backups']) mkdirSync(join(folder, name))
    for (const name of ['docs', 'node_modules'])
      symlinkSync(resolve(name), join(folder, 'work', name))
    const script = scriptOf(blocks)
      .replaceAll('/var/lib/vigil', join(folder, 'data'))
      .replaceAll('/mnt/backups', join(folder, 'backups'))
    const exported = [...vigil.printed().matchAll(/^ {2}export (\w+)=(\S+)$/gm)]
    await runScript(script, join(folder, 'work'), {
      ...(meanwhile && { meanwhile }),
      env: {
        PATH: process.env['PATH'] ?? '',
        TMPDIR: folder,
        XDG_CONFIG_HOME: folder,
        PRINTED: join(folder, 'printed'),
        ...Object.fromEntries(exported.map(([, name, value]) => [name, value])),
        ...env,
      },
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

async function runScript(script: string, cwd: string, { env, meanwhile }: Circumstances) {
  const bash = spawn('bash', ['--norc', '-c', script], { cwd, env })
  let said = ''
  bash.stderr.on('data', (text: Buffer) => {
    said += text.toString()
  })
  const ended = once(bash, 'close')
  const late = setTimeout(() => bash.kill(), 540_000)
  // a line when all commands were given; none when one has failed
  const [given] = await Promise.race([once(bash.stdout, 'data'), ended])
  const wasGiven = String(given).startsWith('given')
  await (wasGiven ? meanwhile?.() : undefined)?.finally(() => bash.stdin.end())
  bash.stdin.end()
  const [code] = await ended
  clearTimeout(late)
  if (code !== 0) throw new Error(`${script}\n\n${said}`)
}

function scriptOf(blocks: readonly Block[]): string {
  const root = resolve('.')
  return [
    'set -euo pipefail',
    "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT",
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
    'echo given',
    'read -r || true',
  ].join('\n')
}
