/** Opens a Vigil in which the day of a shop can be lived, and closes it after the tests of the file. */

import { afterAll } from 'vitest'
import { answerValid, openLegacyShop } from '../../support/legacyShop.ts'
import { openVigil } from '../../support/openVigil.ts'
import { openRecorder, type Recorder } from './recordExamples.ts'
import { liveThroughDay } from './shopDay.ts'

/** The recorder, what it takes to live with some of its functions replaced, and the Vigil. */
export async function openDay(options: Parameters<typeof openVigil>[0] = {}) {
  const legacy = await openLegacyShop()
  legacy.answering = answerValid
  const vigil = await openVigil({
    privateMigrationHosts: 'localhost',
    outside: { certificates: legacy.certificates },
    ...options,
  })
  afterAll(async () => {
    await vigil.close()
    await legacy.close()
  })
  const recorder = openRecorder(vigil)
  const live = (change: Partial<Recorder> = {}) =>
    liveThroughDay({ ...recorder, ...change }, legacy.url)
  return { vigil, recorder, live }
}
