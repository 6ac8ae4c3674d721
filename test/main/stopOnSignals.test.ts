import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { stopOnSignals } from '../../src/main/stopOnSignals.ts'

type Sent = readonly [NodeJS.Signals, number]

/**
 * A process that is sent each signal so many milliseconds after its start; answers why it stopped and with what it
 * exited.
 */
function send(signals: readonly Sent[]) {
  let nowMs = 0
  const exits: unknown[] = []
  const process = Object.assign(new EventEmitter(), { exit: (code: number) => exits.push(code) })
  const stopping = stopOnSignals(process as unknown as NodeJS.Process, () => nowMs)
  for (const [signal, atMs] of signals) {
    nowMs = atMs
    process.emit(signal, signal)
  }
  return { stoppedBy: (stopping.reason as Error | undefined)?.message, exits }
}

test.each<[string, readonly Sent[], ReturnType<typeof send>]>([
  ['no signal', [], { stoppedBy: undefined, exits: [] }],
  ['SIGTERM', [['SIGTERM', 5]], { stoppedBy: 'SIGTERM', exits: [] }],
  ['SIGINT', [['SIGINT', 5]], { stoppedBy: 'SIGINT', exits: [] }],
  [
    'the same signal twice within a second, as npm sends Ctrl-C',
    [
      ['SIGINT', 5],
      ['SIGINT', 1_004],
    ],
    { stoppedBy: 'SIGINT', exits: [] },
  ],
  [
    'the same signal again after a second',
    [
      ['SIGINT', 5],
      ['SIGINT', 1_005],
    ],
    { stoppedBy: 'SIGINT', exits: [1] },
  ],
  [
    'another signal at once',
    [
      ['SIGINT', 5],
      ['SIGTERM', 6],
    ],
    { stoppedBy: 'SIGINT', exits: [1] },
  ],
])(
  'given %s, when heard, then the first stops and only a deliberate second one ends at once',
  (_, signals, heard) => {
    expect(send(signals)).toEqual(heard)
  },
)
