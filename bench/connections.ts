/** Whether evaluations are answered while very many connections do nothing, or next to nothing, in a small heap. */

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Benchmark } from './benchmark.ts'
import { startHelper, startVigil, temporaryFolder } from './childProcess.ts'
import { type Figure, figureOf } from './figure.ts'
import type { QuietOrder, QuietReport } from './neighbours/quietProcess.ts'
import { collectsOnSignal, memoryOf } from './neighbours/serviceMemory.ts'
import { openShop } from './shop.ts'
import { sixtyRules } from './sixtyRules.ts'

const heapMiB = 256

/**
 * An evaluation and a question for life every 10 ms, beside connections that were used once and those that send a byte
 * of a request a second.
 */
export const connections: Benchmark = async ({ size }) => {
  const part = size === 'smallest' ? 0.01 : 1
  const many = { idle: 3_000 * part, slow: 1_000 * part }
  const durationMs = { full: 30_000, quick: 15_000, smallest: 300 }[size]
  const folder = temporaryFolder()
  const flags = [`--max-old-space-size=${heapMiB}`, ...collectsOnSignal]
  const vigil = await startVigil(folder.path, flags)
  const quiet = startHelper('./neighbours/quietProcess.ts')
  const sockets: Socket[] = []
  try {
    const { token, flow } = await openShop(vigil.port, sixtyRules)
    await open(sockets, many.idle, { port: vigil.port, text: usedOnce })
    const slowOnes = sendSlowly(vigil.port, many.slow)
    await quiet.ask({
      do: 'begin',
      port: vigil.port,
      pid: vigil.pid,
      token,
      flow,
    } satisfies QuietOrder)
    await sleep(durationMs)
    const report = await quiet.ask<QuietReport>({ do: 'end' } satisfies QuietOrder)
    const begun = slowOnes.end()
    const { residentMiB } = await memoryOf(vigil)
    return [
      figure(many, report, [
        `idle connections still open ${sockets.filter(({ closed }) => !closed).length}`,
        `slow requests begun ${begun}`,
        `resident ${residentMiB.toFixed(0)} MiB`,
      ]),
    ]
  } finally {
    for (const socket of sockets) socket.destroy()
    await quiet.stop()
    await vigil.stop()
    folder.remove()
  }
}

function figure(
  { idle, slow }: { readonly idle: number; readonly slow: number },
  { evaluations, life }: QuietReport,
  notes: readonly string[],
): Figure {
  const asked = evaluations.asked + life.asked
  const count = (number: number) => number.toLocaleString('en')
  return figureOf(
    {
      name: `evaluations and questions for life answered beside ${count(idle)} idle and ${count(slow)} slow connections, heap of ${heapMiB} MiB`,
      against: 'those that were asked, one of each every 10 ms',
      unit: 'of them',
      target: { bound: 'at least', value: 1 },
    },
    [1 - (evaluations.unanswered + life.unanswered) / asked],
    [
      `evaluation p99 ${evaluations.p99Ms.toFixed(0)} ms, max ${evaluations.maxMs.toFixed(0)} ms`,
      `life p99 ${life.p99Ms.toFixed(0)} ms, max ${life.maxMs.toFixed(0)} ms`,
      ...notes,
    ],
  )
}

const usedOnce = 'GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'

/** Connections that ask once, are answered, and stay. */
async function open(
  sockets: Socket[],
  many: number,
  { port, text }: { readonly port: number; readonly text: string },
): Promise<void> {
  for (let at = 0; at < many; at += 1) {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('error', () => undefined)
    sockets.push(socket)
    socket.write(text)
    await once(socket, 'data')
  }
}

const slowText = 'POST /v2/watch/eval HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: '
const byteEveryMs = 1_000

/**
 * Connections that never come to the end of a request; the service closes them in time, and others take their places.
 */
function sendSlowly(port: number, many: number): { readonly end: () => number } {
  let begun = 0
  let isOver = false
  const open = new Set<Socket>()
  const begin = (): void => {
    if (isOver) return
    begun += 1
    const socket = connect({ port, host: '127.0.0.1' })
    open.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      open.delete(socket)
      begin()
    })
    socket.resume().write(slowText)
  }
  for (let at = 0; at < many; at += 1) begin()
  const timer = setInterval(() => {
    for (const socket of open) socket.write('x')
  }, byteEveryMs)
  return {
    end: () => {
      isOver = true
      clearInterval(timer)
      for (const socket of open) socket.destroy()
      return begun
    },
  }
}
