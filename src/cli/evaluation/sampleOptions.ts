/** What something is tried with, as options of a command: what an evaluation would be asked with, and its lists and clock. */

import type { Command } from 'commander'
import { deviceSignals } from '../../domain/signals.ts'
import type { Body } from '../connecting/client.ts'
import { deviceSignalsOf, signalsOf } from '../signals/signalOptions.ts'
import { collectPairs, collectWords, isoTime, type Pairs } from '../terminal/collect.ts'

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

/** What was read and whether it arrived. */
interface Read {
  readonly name: string
  readonly arrived: boolean
}

/** A sentence for everything of the sample that did not count, and what would make it count. */
export function unheeded(options: SampleOptions, reads: readonly Read[]): readonly string[] {
  const { signal = {}, ext = {}, dispatched, dispatchSignal } = options
  const missed = new Set(reads.filter(({ arrived }) => !arrived).map(({ name }) => name))
  const read = new Set(reads.map(({ name }) => name))
  const isDispatched = dispatched === true || dispatchSignal !== undefined
  const alone = deviceSignals.filter((name) => signal[name] && missed.has(`signal.${name}`))
  const unread = Object.keys(ext).filter((key) => ext[key] && !read.has(`signal.ext.${key}`))
  return [
    ...(isDispatched ? [] : alone).map(
      (name) => `signal.${name} was given, but counts only with a dispatch: add --dispatched.`,
    ),
    ...(signal['is_trusted_user'] && missed.has('signal.is_trusted_user')
      ? ['signal.is_trusted_user was given, but counts only where the operator has agreed to it.']
      : []),
    ...unread.map((key) => `signal.ext.${key} was given, but nothing that ran reads it.`),
  ]
}
