/**
 * The rows of one attack: by how much the neighbour waited longer than alone, and what the service holds afterwards.
 */

import { type Figure, figureOf } from '../figure.ts'
import { median } from '../statistics.ts'
import { attackNamed } from './attacks.ts'
import { heapMiB, type Measured } from './measureAttack.ts'
import { type Extra, extraOf } from './waits.ts'

/** How much longer a neighbour may wait at most. */
const waitMs = 250
/** How much more the service may hold: its caches, which are bounded, and what the account has saved and uses. */
const heldMiB = 64

/** Throws when there is no such attack, or nothing was measured. */
export function figuresOf(attack: string, rounds: readonly Measured[]): readonly Figure[] {
  const { does } = attackNamed(attack)
  return [
    figureOf(
      {
        name: `neighbour's longest wait while another account ${does}`,
        against: 'alone (evaluation or /health/live, one of each every 10 ms)',
        unit: 'ms more',
        target: { bound: 'at most', value: waitMs },
      },
      rounds.map(longestMs),
      waitNotes(rounds),
    ),
    figureOf(
      {
        name: `memory held after another account ${does}`,
        against: 'before',
        unit: 'MiB more',
        target: { bound: 'at most', value: heldMiB },
      },
      rounds.map(grownMiB),
      memoryNotes(rounds),
    ),
  ]
}

interface Extras {
  readonly evaluations: Extra
  readonly life: Extra
}

function extrasOf({ alone, attacked }: Measured): Extras {
  return {
    evaluations: extraOf(attacked.evaluations, alone.evaluations),
    life: extraOf(attacked.life, alone.life),
  }
}

function longestMs(measured: Measured): number {
  const { evaluations, life } = extrasOf(measured)
  return Math.max(evaluations.maxMs, life.maxMs)
}

/** A service that ended held all that it was given. */
function grownMiB({ before, after }: Measured): number {
  return after ? after.heldMiB - before.heldMiB : heapMiB
}

function unstarvedMs({ evaluations, life }: Extras): number {
  return Math.max(evaluations.unstarvedMaxMs, life.unstarvedMaxMs)
}

function waitNotes(rounds: readonly Measured[]): readonly string[] {
  const extras = rounds.map(extrasOf)
  const middle = (of: (extra: Extras) => number): string => median(extras.map(of)).toFixed(0)
  const own = Math.max(...rounds.map(({ attacked }) => attacked.own.maxMs))
  return [
    `evaluation p99 ${middle(({ evaluations }) => evaluations.p99Ms)}, max ${middle(({ evaluations }) => evaluations.maxMs)} ms more`,
    `life p99 ${middle(({ life }) => life.p99Ms)}, max ${middle(({ life }) => life.maxMs)} ms more`,
    unansweredNote(rounds),
    `on a machine that had left the service its processors at most ${middle(unstarvedMs)} ms more`,
    `the neighbour's own process at most ${own.toFixed(0)} ms late`,
    diskNote(rounds),
    `the account was answered ${rounds.at(-1)?.answered || 'nothing'}`,
  ]
}

/** Evaluations wait for commits, and those for the disk, whoever else uses it. */
function diskNote(rounds: readonly Measured[]): string {
  const longest = (of: (measured: Measured) => number): string =>
    Math.max(...rounds.map(of)).toFixed(0)
  return (
    `commits at most ${longest(({ attacked }) => attacked.commitMs)} ms; a plain write and fdatasync beside them ` +
    `at most ${longest(({ attacked }) => attacked.diskMs)} ms, alone ${longest(({ alone }) => alone.diskMs)} ms`
  )
}

/** How many had no good answer, and with what they were refused. */
function unansweredNote(rounds: readonly Measured[]): string {
  const asked = rounds.flatMap(({ attacked: { evaluations, life } }) => [evaluations, life])
  const unanswered = asked.reduce((sum, one) => sum + one.unanswered, 0)
  const refused = asked.flatMap((one) => one.refused)
  const statuses = [...new Set(refused)].map((status) => {
    const name = status === 0 ? 'broken off' : String(status)
    return `${name}: ${refused.filter((one) => one === status).length}`
  })
  return `${unanswered} not answered${statuses.length > 0 ? ` (${statuses.join(', ')})` : ''}`
}

function memoryNotes(rounds: readonly Measured[]): readonly string[] {
  const last = rounds.at(-1)
  if (!last?.after) return ['the service ended']
  const { before, after } = last
  return [
    `held ${before.heldMiB.toFixed(0)} and ${after.heldMiB.toFixed(0)} MiB`,
    `resident ${before.residentMiB.toFixed(0)} and ${after.residentMiB.toFixed(0)} MiB`,
  ]
}
