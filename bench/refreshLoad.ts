/** A process that refreshes sessions as fast as they are answered; their proofs are made before the time is taken. */

import { answerMessages } from './childProcess.ts'
import { type Line, openLine } from './line.ts'
import { type ClientKey, headerOf, newClientKey, proofBy, refreshRequest } from './proofs.ts'

/** The sessions to be refreshed, by their refresh tokens. */
export interface RefreshersOrder {
  readonly port: number
  readonly host: string
  readonly tokens: readonly string[]
}

/** One refresh of each session. */
export interface RefreshOrder {
  readonly connections: number
}

interface Refresher {
  readonly key: ClientKey
  token: string
  nonce: string
}

interface Place {
  readonly port: number
  readonly host: string
  readonly sessions: readonly Refresher[]
}

let place: Place | undefined

/** Answers refreshes per second; 0 for the beginning. */
answerMessages<RefreshersOrder | RefreshOrder, number>(async (order) => {
  if (!('tokens' in order)) return refreshAll(order)
  const { port, host, tokens } = order
  const sessions = tokens.map((token) => ({ key: newClientKey(), token, nonce: '' }))
  place = { port, host, sessions }
  const line = await openLine(port, 400)
  for (const session of sessions) {
    // the first nonce comes with a refusal
    const answer = await line.send(refreshRequest(host, session, proofBy(session.key, host)))
    session.nonce = headerOf(answer, 'dpop-nonce')
  }
  line.close()
  return 0
})

async function refreshAll({ connections }: RefreshOrder): Promise<number> {
  if (!place) throw new Error('there are no sessions yet')
  const { port, host, sessions } = place
  const asked = sessions.map((one) => refreshRequest(host, one, proofBy(one.key, host, one.nonce)))
  const lines = await Promise.all(Array.from({ length: connections }, () => openLine(port)))
  const answers: Buffer[] = []
  let next = 0
  const begunMs = performance.now()
  const refreshSome = async (line: Line): Promise<void> => {
    while (next < asked.length) {
      const index = next
      next += 1
      answers[index] = await line.send(asked[index] as Buffer)
    }
  }
  await Promise.all(lines.map(refreshSome))
  const seconds = (performance.now() - begunMs) / 1_000
  for (const line of lines) line.close()
  for (const [index, session] of sessions.entries()) {
    session.token = headerOf(answers[index] as Buffer, 'x-refresh-token')
    session.nonce = headerOf(answers[index] as Buffer, 'dpop-nonce')
  }
  return sessions.length / seconds
}
