/** Follows everything that can be followed, beside writers, until the followers have caught up. */

import { setTimeout as sleep } from 'node:timers/promises'
import { type AuditWork, askState, type Body, expectAnswer, type Followed } from './auditWork.ts'
import { openWriters, person } from './auditWriters.ts'

/** Pages without anything new that a follower asks for before it has everything, once nobody writes any more. */
const restingPages = 5
/** Pages backwards of one look at the history. */
const backwardsMax = 40

/** Works for so long, and then until the followers have caught up. */
export async function workAsAuditors(
  opened: Pick<AuditWork, 'instances' | 'customer' | 'chance'>,
  minutes: number,
): Promise<AuditWork> {
  const work: AuditWork = {
    ...opened,
    ...{ followed: [], backwards: [], certified: [], states: [], faults: [] },
    ...{ evaluated: new Map(), counts: new Map(), isWriting: true, isWritten: false },
  }
  const writers = await openWriters(work)
  const writing = writers.map(([what, pauseMs]) => untilOver(work, what, pauseMs))
  const asking = [
    ...listFollowers().map((follower) => follow(work, { ...follower, positions: [] })),
    ...['application', 'rule', 'list', 'entry'].map((kind) =>
      untilOver(work, () => askState(work, kind), 1_500),
    ),
    untilOver(work, () => goBackwards(work), 5_000),
  ]
  await sleep(minutes * 60_000)
  work.isWriting = false
  await Promise.all(writing)
  work.isWritten = true
  await Promise.all(asking)
  return work
}

async function untilOver(
  work: AuditWork,
  what: () => Promise<unknown>,
  pauseMs: number,
): Promise<void> {
  while (work.isWriting) {
    try {
      await what()
    } catch (error) {
      // a service that is busy is asked again
      if (!String(error).includes('"unavailable"')) work.faults.push(String(error))
    }
    await sleep(pauseMs)
  }
}

function listFollowers(): readonly Omit<Followed, 'positions'>[] {
  const events = '/v2/watch/audit/events'
  return [
    { name: 'everything', path: `${events}?limit=7`, wanted: {} },
    { name: 'everything by long pages', path: `${events}?limit=100`, wanted: {} },
    ...['FlowEvaluated', 'PhoneNumberListed', 'RulePublished'].map((type) => ({
      ...{ name: type, path: `${events}?type=${type}&limit=5`, wanted: { type } },
    })),
    ...[person(1), person(2), person(6), person(4)].map((one) => ({
      name: one.value,
      path: `${events}?${one.field}=${encodeURIComponent(one.value)}&limit=3`,
      wanted: { person: one },
    })),
    {
      ...{ name: 'evaluations', path: '/v2/watch/evaluations?limit=11' },
      wanted: { type: 'FlowEvaluated' },
    },
  ]
}

async function follow(work: AuditWork, one: Followed): Promise<void> {
  work.followed.push(one)
  let after = 0
  for (let resting = 0; resting < restingPages; ) {
    const body = await expectAnswer(work, 'GET', `${one.path}&after=${after}`)
    const found = readPositions(body)
    one.positions.push(...found)
    const next = Number(body['next_after'])
    if (!(next >= after)) {
      work.faults.push(`${one.name} was sent from ${after} to ${next}`)
      return
    }
    resting = next > after || !work.isWritten ? 0 : resting + 1
    after = next
    if (found.length === 0) await sleep(100)
  }
}

function readPositions(body: Body): readonly number[] {
  const found = (body['events'] ?? body['evaluations'] ?? []) as readonly { position: string }[]
  return found.map(({ position }) => Number(position))
}

async function goBackwards(work: AuditWork): Promise<void> {
  const path = '/v2/watch/audit/events?limit=100'
  const newest = await expectAnswer(work, 'GET', path)
  const pages = [readPositions(newest)]
  let before = newest['next_before']
  while (before !== undefined && pages.length < backwardsMax) {
    const page = await expectAnswer(work, 'GET', `${path}&before=${before}`)
    pages.push(readPositions(page))
    before = page['next_before']
  }
  const positions = pages.toReversed().flat()
  if (before === undefined) work.backwards.push({ end: Number(newest['next_after']), positions })
}
