import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { RecordedEvent } from '../../src/stores/eventStore.ts'
import { openForTest } from '../stores/support/embeddedUnderTest.ts'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'

/** More rounds for a longer search: CRASH_ROUNDS=100. */
const rounds = Number(process.env['CRASH_ROUNDS'] ?? 10)
const appender = fileURLToPath(new URL('./appender.ts', import.meta.url))

test(`given a process killed at any moment, ${rounds} times over, when its store is opened again, then all it acknowledged is there once, in order, and nothing else`, {
  timeout: rounds * 60_000,
}, async () => {
  const folder = temporaryFolder()
  const acknowledged = new Map<number, string>()
  let known = 0

  for (let round = 0; round < rounds; round += 1) {
    const lines = await runUntilKilled(folder, round)
    for (const line of lines) remember(acknowledged, line)

    const store = await openForTest({ folder })
    const events = await readEverything(store)
    await store.close()
    expect(lines.length).toBeGreaterThan(0)
    expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => index + 1))
    expect(missing(acknowledged, events)).toEqual([])
    expectWholeStreams(events)
    // What was there after the last kill has not changed, and what came since was written by this round alone.
    expect(events.slice(known).every(({ stream }) => stream.startsWith(`crash-${round}-`))).toBe(
      true,
    )
    known = events.length
  }
})

/** The acknowledgements of one process that had between a few and a few hundred milliseconds to write. */
async function runUntilKilled(folder: string, round: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, ['--import', 'tsx', appender, folder, `${round}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const output = outputOf(child)
  await output.seen('crash-')
  setTimeout(() => child.kill('SIGKILL'), Math.random() * 250)
  const [code, signal] = await once(child, 'close')
  expect({ code, signal }).toEqual({ code: null, signal: 'SIGKILL' })
  // A line cut off by the kill was not said in full, and so not acknowledged.
  return output.text().split('\n').slice(1, -1)
}

function outputOf(child: ChildProcess) {
  let text = ''
  let wake: () => void = () => undefined
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    wake()
  })
  return {
    text: () => text,
    seen: async (part: string) => {
      while (!text.includes(part) && child.exitCode === null) {
        await new Promise<void>((resolve) => {
          wake = resolve
          child.once('exit', () => resolve())
        })
      }
    },
  }
}

function remember(acknowledged: Map<number, string>, line: string): void {
  const [stream = '', revision = '', position = '', ...ids] = line.split(' ')
  for (const [index, id] of ids.entries()) {
    const back = ids.length - 1 - index
    acknowledged.set(Number(position) - back, `${stream} ${Number(revision) - back} ${id}`)
  }
}

function missing(acknowledged: Map<number, string>, events: readonly RecordedEvent[]): string[] {
  const found = new Map(
    events.map(({ stream, revision, id, position }) => [position, `${stream} ${revision} ${id}`]),
  )
  return [...acknowledged]
    .filter(([position, said]) => found.get(position) !== said)
    .map(([, said]) => said)
}

/** Every stream has the revisions from 0 on, every append all of its events, and every id is there once. */
function expectWholeStreams(events: readonly RecordedEvent[]): void {
  const next = new Map<string, number>()
  for (const { stream, revision } of events) {
    expect(revision).toBe(next.get(stream) ?? 0)
    next.set(stream, revision + 1)
  }
  for (const [at, { data, stream }] of events.entries()) {
    const { index, count } = JSON.parse(data) as { index: number; count: number }
    expect(events[at - index + count - 1]?.stream).toBe(stream)
  }
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
}

async function readEverything(store: {
  readonly readAll: (page: { after: number; limit: number }) => Promise<readonly RecordedEvent[]>
}): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = []
  for (;;) {
    const page = await store.readAll({ after: events.length, limit: 1_000 })
    if (page.length === 0) return events
    events.push(...page)
  }
}
