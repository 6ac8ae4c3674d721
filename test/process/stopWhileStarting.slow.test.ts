import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'
import { runVigil } from '../support/startedVigil.ts'

const moments = 20

/**
 * Loaded before the service. Counts what its main thread begins (files, timers, promises, threads, …) from the first
 * line of main on, until it has printed where it listens, and has the process told to stop at the given count; without
 * one it stops at the end and keeps the count.
 */
const counter = `
import { createHook } from 'node:async_hooks'
import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
if (isMainThread) {
  const [stopAt, signals] = [Number(process.env.STOP_AT), process.env.SIGNALS.split(' ')]
  const stop = () => { for (const signal of signals) process.kill(process.pid, signal) }
  let begun = 0
  const hook = createHook({ init: () => {
    if (process.listenerCount('SIGTERM') === 0) return
    begun += 1
    if (begun === stopAt) stop()
  } }).enable()
  const { write } = process.stderr
  process.stderr.write = (text, ...rest) => {
    const answer = write.call(process.stderr, text, ...rest)
    if (String(text).includes('its data lies in')) {
      hook.disable()
      writeFileSync(process.env.COUNT_FILE, String(begun))
      if (!(begun >= stopAt)) stop()
    }
    return answer
  }
}
`

/** Starts the service in the folder, to be told to stop at that count. */
function startStoppedAt(folder: string, stopAt: number, signals = 'SIGTERM') {
  const outer = temporaryFolder()
  const [preload, countFile] = [join(outer, 'counter.mjs'), join(outer, 'count')]
  writeFileSync(preload, counter)
  return runVigil(folder, {
    NODE_OPTIONS: `--import ${preload}`,
    ...{ STOP_AT: String(stopAt), SIGNALS: signals, COUNT_FILE: countFile },
  }).then((run) => ({
    ...run,
    begun: existsSync(countFile) ? Number(readFileSync(countFile, 'utf8')) : 0,
  }))
}

const exported = (printed: string, name: string) =>
  [...printed.matchAll(new RegExp(`export ${name}=(\\S+)`, 'g'))].map(([, value]) => value)

test(`given a first start told to stop at each of ${moments} moments, when it has ended, then with 0, and the next start shows what it has not shown`, async () => {
  const { begun, code } = await startStoppedAt(join(temporaryFolder(), 'data'), Number.NaN)
  expect([code, begun > moments]).toEqual([0, true])

  for (let moment = 0; moment < moments; moment += 1) {
    const folder = join(temporaryFolder(), 'data')
    const stopped = await startStoppedAt(folder, 1 + Math.floor((begun * moment) / moments))
    const next = await startStoppedAt(folder, Number.NaN)

    expect([moment, stopped.code, stopped.printed]).toEqual([
      moment,
      0,
      expect.not.stringContaining('cannot'),
    ])
    expect([moment, next.code]).toEqual([moment, 0])
    const printed = stopped.printed + next.printed
    expect([moment, exported(printed, 'VIGIL_OPERATOR_TOKEN').length]).toEqual([moment, 1])
    expect(exported(next.printed, 'VIGIL_TOKEN')).toHaveLength(1)
  }
}, 1_800_000)

test('given Ctrl-C that comes twice, as through npm, when it has ended, then with 0', async () => {
  const folder = join(temporaryFolder(), 'data')

  const { code, printed } = await startStoppedAt(folder, Number.NaN, 'SIGINT SIGINT')

  expect([code, printed]).toEqual([0, expect.stringContaining('Stopped.')])
})

test('given a start that waits for its servers, when it is told to stop, then it ends with 0', async () => {
  const child = spawn(process.execPath, ['dist/main.js'], {
    env: {
      ...{ PATH: process.env['PATH'], PORT: '0', VIGIL_DATA: join(temporaryFolder(), 'data') },
      ...{ EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false', MONGODB_URL: 'mongodb://127.0.0.1:1/v' },
    },
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  for await (const chunk of child.stdout) if (String(chunk).includes('Waiting')) break

  child.kill('SIGTERM')

  expect(await ended).toBe(0)
})
