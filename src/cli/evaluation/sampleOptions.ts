/** What something is tried with, as options of a command: what an evaluation would be asked with, and its lists and clock. */

import type { Command } from 'commander'
import { extName } from '../../engine/language/names.ts'
import type { NotCounted } from '../../engine/run/notCounted.ts'
import type { Body } from '../connecting/client.ts'
import { deviceSignalsOf, signalsOf } from '../signals/signalOptions.ts'
import { collectPairs, collectWords, isoTime, type Pairs } from '../terminal/collect.ts'
import type { ReadAnswer } from './answers.ts'

const lists = ['allow', 'block'] as const

export interface SampleOptions {
  readonly phone?: string
  readonly email?: string
  readonly signal?: Pairs
  readonly ext?: Pairs
  readonly dispatched?: boolean
  readonly dispatchSignal?: Pairs
  readonly list?: readonly (typeof lists)[number][]
  readonly time?: string
}

/** Adds the options. */
export function withSample(command: Command): Command {
  return command
    .option('--phone <number>', 'phone number of the end user')
    .option('--email <address>', 'email address of the end user')
    .option('--signal <name=value>', 'a signal; may be repeated', collectPairs)
    .option('--ext <name=value>', 'a signal of your own; may be repeated', collectPairs)
    .option('--dispatched', 'as if a dispatch of the front end were named')
    .option(
      '--dispatch-signal <name=value>',
      'a signal that the dispatch brought; may be repeated',
      collectPairs,
    )
    .option('--list <allow|block>', 'a list on which the target stands', collectWords(lists))
    .option(
      '--time <time>',
      'the clock of the rules, ISO 8601 with a zone; now by default',
      isoTime,
    )
}

/** The sample as the API takes it. Throws `usage` for a name or a value that no signal has. */
export function sampleOf(options: SampleOptions): Body {
  const { phone, email, dispatched, dispatchSignal, list, time } = options
  const hasTarget = phone !== undefined || email !== undefined
  return {
    ...(hasTarget && { target: { phone_number: phone, email_address: email } }),
    signals: signalsOf(options.signal, options.ext),
    dispatch_signals:
      dispatched || dispatchSignal ? deviceSignalsOf(dispatchSignal ?? {}) : undefined,
    lists: list && Object.fromEntries(list.map((name) => [name, true])),
    time,
  }
}

/** Sentences for the person at the terminal: what of the sample nothing reads, and what would make the rest of it count. */
export function hints(options: SampleOptions, { reads, not_counted }: Tried): readonly string[] {
  const { ext = {} } = options
  const read = new Set(reads.map(({ name }) => name))
  const unread = Object.keys(ext).filter((key) => ext[key] && !read.has(extName(key)))
  const lacksDispatch = not_counted.some(({ reason }) => reason === 'needs_dispatch')
  return [
    ...unread.map((key) => `${extName(key)} was given, but nothing that ran reads it.`),
    ...(lacksDispatch ? ['To try it as if a dispatch were named, add --dispatched.'] : []),
  ]
}

/** What came of the sample. */
interface Tried {
  readonly reads: readonly Pick<ReadAnswer, 'name'>[]
  readonly not_counted: readonly NotCounted[]
}
