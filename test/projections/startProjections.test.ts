import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startReadModels } from '../../src/app/startReadModels.ts'
import type { Clock } from '../../src/domain/clock.ts'
import { logEpoch } from '../../src/events/recording/event.ts'
import { allProjections } from '../../src/projections/allProjections.ts'
import type { Alarm, Projections } from '../../src/projections/running/projectionState.ts'
import { authoredRules } from '../../src/queries/rulebook/resources.ts'
import {
  type EmbeddedEventStore,
  openEmbeddedEventStore,
} from '../../src/stores/embedded/embeddedEventStore.ts'
import { openEmbeddedReadStore } from '../../src/stores/embedded/embeddedReadStore.ts'
import type { NewEvent } from '../../src/stores/eventStore.ts'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'
import { canGiveWay, givingWay } from '../support/givingWay.ts'

let folder = ''
let events: EmbeddedEventStore
beforeEach(async () => {
  folder = temporaryFolder()
  events = await openEmbeddedEventStore({ folder })
})
afterEach(() => events.close())

const account = 'acc_01h455vb4pex5vsknk084sn02q'

function published(number: number): NewEvent {
  const data = {
    rule_id: `rul_01h455vb4pex5vsknk084sn0${number}q`,
    version_id: 'ver_01h455vb4pex5vsknk084sn02q',
    name: `Rule ${number}`,
    text: 'true',
    expression: { kind: 'literal', type: 'bool', value: true, at: [1, 1] },
  }
  const context = { account, actor: 'a', request: '', command: randomUUID(), time: 1 }
  const metadata = { ...context, epoch: logEpoch, version: 1 }
  return {
    id: randomUUID(),
    type: 'RulePublished',
    data: JSON.stringify(data),
    metadata: JSON.stringify(metadata),
  }
}

async function publish(number: number): Promise<number> {
  const appended = await events.append({
    stream: `rulebook-${account}-${number}`,
    expected: 'no_stream',
    events: [published(number)],
  })
  if (!appended.ok) throw new Error('not appended')
  return appended.position
}

async function namesSeen(projections: Projections): Promise<readonly string[]> {
  const documents = openEmbeddedReadStore({ folder, readOnly: true })
  const { items } = await authoredRules.list({ documents, projections }, { account, limit: 100 })
  await documents.close()
  return items.map(({ name }) => name)
}

interface Started {
  readonly thread: 'own' | 'caller'
  readonly alarms?: Alarm[]
  readonly clock?: Clock
}

/** Closing them ends the thread. */
async function start({
  thread,
  alarms = [],
  clock = { nowMs: () => 0 },
}: Started): Promise<Projections> {
  const onAlarm = (alarm: Alarm): void => void alarms.push(alarm)
  const here = thread === 'caller' && { here: { clock, random: { bytes: randomBytes } } }
  const { call, projections } = startReadModels({ onAlarm, ...here })
  await call('open', { folder, headBuffer: events.headBuffer, mayRun: true })
  return projections
}

test.each(['own', 'caller'] as const)(
  'projections on the %s thread show what is written, and go on after a restart',
  async (thread) => {
    const alarms: Alarm[] = []
    const first = await start({ thread, alarms })

    expect(await first.waitFor(await publish(1), 10_000)).toBe(true)
    expect(await namesSeen(first)).toEqual(['Rule 1'])
    await first.close()
    const position = await publish(2)
    const second = await start({ thread, alarms })

    expect(await second.waitFor(position, 10_000)).toBe(true)
    expect(await namesSeen(second)).toEqual(['Rule 1', 'Rule 2'])
    expect(second.progress()).toMatchObject(
      allProjections.map(({ name }) => ({ name, position, parked: 0 })),
    )
    await second.close()
    expect(alarms).toEqual([])
  },
)

test.skipIf(!canGiveWay)(
  'projections on a thread of their own give way to the one that answers',
  async () => {
    const before = givingWay()

    const running = await start({ thread: 'own' })
    const meanwhile = givingWay()
    await running.close()

    expect(meanwhile).toBe(before + 1)
  },
)

test('read models that were deleted are built again', async () => {
  const first = await start({ thread: 'caller' })
  await first.waitFor(await publish(1), 10_000)
  await first.close()
  for (const suffix of ['', '-wal', '-shm'])
    rmSync(join(folder, `views.db${suffix}`), { force: true })

  const second = await start({ thread: 'caller' })

  expect(await second.waitFor(await events.head(), 10_000)).toBe(true)
  expect(await namesSeen(second)).toEqual(['Rule 1'])
  await second.close()
})

test('read models of another log are folded anew, and this is said', async () => {
  const first = await start({ thread: 'caller' })
  await first.waitFor(await publish(1), 10_000)
  await first.waitFor(await publish(2), 10_000)
  await first.close()
  await events.close()
  const views = readFileSync(join(folder, 'views.db'))
  for (const name of readdirSync(folder)) {
    if (/^(log|stores|views)\./.test(name)) rmSync(join(folder, name))
  }
  events = await openEmbeddedEventStore({ folder })
  await publish(3)
  writeFileSync(join(folder, 'views.db'), views)
  const alarms: Alarm[] = []

  const second = await start({ thread: 'caller', alarms })

  expect(await second.waitFor(await events.head(), 10_000)).toBe(true)
  expect(await namesSeen(second)).toEqual(['Rule 3'])
  expect(alarms.length).toBe(allProjections.length)
  expect(alarms.every(({ kind }) => kind === 'rebuilt')).toBe(true)
  await second.close()
})
