import { expect, onTestFinished, test, vi } from 'vitest'
import { startHourlyJobs } from '../../src/app/hourlyJobs.ts'
import type { ServiceContext } from '../../src/app/serviceContext.ts'
import { openBackground } from '../../src/commands/handling/background.ts'
import { unavailable } from '../../src/domain/failure.ts'
import { accountCollection } from '../../src/projections/accounts/accounts.ts'
import { memoryService } from '../http/support/memoryService.ts'

/** What is warned of and what fails when no job of the first run can read what is to be done. */
async function runJobs(thrown: Error) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const warned: string[] = []
  const failed: unknown[] = []
  const background = openBackground((error) => failed.push(error))
  const fail = () => {
    throw thrown
  }
  const { context } = memoryService()
  const jobs = startHourlyJobs({
    ...context,
    documents: { ...context.documents, find: async () => fail() },
    background,
    warn: (_facts: object, message: string) => void warned.push(message),
  } as ServiceContext)
  vi.advanceTimersByTime(60_000)
  await background.settled()
  jobs.close()
  return { warned, failed }
}

test('an outage of the read models is warned of, job by job', async () => {
  const { warned, failed } = await runJobs(unavailable('They are being built; try again.', 5))

  const why = 'the stores or read models do not answer. The next try is in an hour.'
  expect(failed).toEqual([])
  expect(warned.toSorted()).toEqual([
    `Old evidence was not erased: ${why}`,
    `Replaced passwords were not destroyed: ${why}`,
    `Signing keys were not rotated: ${why}`,
  ])
})

test('any other error of a job is a failure', async () => {
  const thrown = new Error('a mistake')
  const { warned, failed } = await runJobs(thrown)

  expect(warned).toEqual([])
  expect(failed).toEqual([thrown, thrown, thrown])
})

test('they run a minute after the start, and every hour', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const background = openBackground(() => undefined)
  let expired = 0
  const { context } = memoryService()
  const find: ServiceContext['documents']['find'] = async ({ name }) => {
    if (name === accountCollection.name) expired += 1
    return []
  }
  const documents = { ...context.documents, find }
  const jobs = startHourlyJobs({ ...context, background, documents })
  onTestFinished(() => jobs.close())
  const minuteMs = 60_000
  const counts: number[] = []
  for (const ms of [minuteMs - 1, 1, 59 * minuteMs - 1, 1, 60 * minuteMs]) {
    vi.advanceTimersByTime(ms)
    await background.settled()
    counts.push(expired)
  }

  expect(counts).toEqual([0, 1, 1, 2, 3])
})
