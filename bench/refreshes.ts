/**
 * Refreshes of sessions: a proof verified, a token put in the place of another, durably; against the store and the
 * proofs alone.
 */

import type { Benchmark } from './benchmark.ts'
import { startHelper, startVigil, temporaryFolder } from './childProcess.ts'
import { type Figure, figureOf } from './figure.ts'
import { settled } from './readiness.ts'
import type { RefreshersOrder, RefreshOrder } from './refreshLoad.ts'
import type { RefreshReferenceOrder, RoundOrder } from './refreshReference.ts'
import { appHost as host, inParallel, openApp } from './sessionApp.ts'
import { median, ratios } from './statistics.ts'

const connections = 64

/** Measures refreshes per second of many sessions, each with a key of its own, and each once in a round. */
export const refreshes: Benchmark = async ({ size }) => {
  const count = { full: 4_000, quick: 1_000, smallest: 50 }[size]
  const rounds = { full: 9, quick: 5, smallest: 1 }[size]
  const ours = temporaryFolder()
  const theirs = temporaryFolder()
  const vigil = await startVigil(ours.path)
  const load = startHelper('./refreshLoad.ts')
  const reference = startHelper('./refreshReference.ts')
  try {
    const tokens = await signIn(vigil.port, count)
    await settled(vigil.port)
    await load.ask({ port: vigil.port, host, tokens } satisfies RefreshersOrder)
    const order = { folder: theirs.path, sessions: count, host } satisfies RefreshReferenceOrder
    await reference.ask(order)
    const asReference = () => reference.ask<number>({ callers: connections } satisfies RoundOrder)
    const asVigil = async (): Promise<number> => {
      const perSecond = await load.ask<number>({ connections } satisfies RefreshOrder)
      await settled(vigil.port)
      return perSecond
    }
    await asVigil()
    await asReference()
    const measured: { readonly ours: number; readonly theirs: number }[] = []
    for (let round = 0; round < rounds; round += 1) {
      measured.push({ theirs: await asReference(), ours: await asVigil() })
    }
    return [figure(count, measured)]
  } finally {
    await load.stop()
    await reference.stop()
    await vigil.stop()
    ours.remove()
    theirs.remove()
  }
}

function figure(
  sessions: number,
  measured: readonly { readonly ours: number; readonly theirs: number }[],
): Figure {
  const ours = measured.map((round) => round.ours)
  const theirs = measured.map((round) => round.theirs)
  return figureOf(
    {
      name: `POST /v1/session/refresh, ${sessions} sessions, ${connections} connections, durable, embedded store`,
      against: `durable appends of the same events to the store by ${connections} callers, the proofs verified with jose, without HTTP and access tokens`,
      unit: 'of its refreshes/s',
      target: { bound: 'at least', value: 0.5 },
    },
    ratios(ours, theirs),
    [`Vigil ${median(ours).toFixed(0)}/s, jose and store ${median(theirs).toFixed(0)}/s`],
  )
}

/** The refresh tokens of so many sessions, each of a user of its own. */
async function signIn(port: number, count: number): Promise<readonly string[]> {
  const app = await openApp(port, { access_seconds: 600 })
  const tokens: string[] = []
  await inParallel(count, async (index) => {
    const user = await app.newUser(`user ${index}`)
    tokens[index] = (await app.startSession(user)).refresh_token
  })
  return tokens
}
