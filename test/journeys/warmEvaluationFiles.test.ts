/** Through how many of our files a warm evaluation goes: what a reader opens to follow it. */

import { Session } from 'node:inspector/promises'
import { expect, test } from 'vitest'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { openCustomer } from '../support/openVigil.ts'

/** Only goes down. Three of them follow the log and are not among the files of every run. */
const filesMax = 87

const vigil = await openVigilOfFile({ thread: 'own' })
const shop = await openCustomer(vigil)

test('a warm evaluation goes through at most so many of our files, in the thread that answers', async () => {
  const flow = await shop.flowOf(
    'signal.ext.cart == "1"',
    'phoneCountry(target.phone_number) == "FR"',
  )
  const evaluate = async (): Promise<void> => {
    const answer = await fetch(`http://127.0.0.1:${vigil.door.port}/v2/watch/eval`, {
      method: 'POST',
      headers: { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        flow_id: flow,
        target: { phone_number: '+33612345678', email_address: 'a@example.com' },
        signals: { ext: { cart: '1' } },
      }),
    })
    expect([answer.status, (await answer.json()) as object]).toMatchObject([
      200,
      { verdict: 'FLAG' },
    ])
  }
  for (let warming = 0; warming < 20; warming += 1) await evaluate()

  const files = await filesThatRun(evaluate, 30)

  expect(files.length, `${files.length} files:\n${files.join('\n')}`).toBeLessThanOrEqual(filesMax)
})

/** The files in `src` of which a function begins in every round: what runs beside it for other reasons does not. */
async function filesThatRun(run: () => Promise<unknown>, rounds: number): Promise<string[]> {
  const inspector = new Session()
  inspector.connect()
  await inspector.post('Profiler.enable')
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const src = `${process.cwd()}/src/`
  let files: string[] | undefined
  for (let round = 0; round < rounds; round += 1) {
    await inspector.post('Profiler.takePreciseCoverage')
    await run()
    const { result } = await inspector.post('Profiler.takePreciseCoverage')
    const ran = result
      .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
      .flatMap(({ url }) => url.split(src).slice(1))
    files = files?.filter((file) => ran.includes(file)) ?? ran.sort()
  }
  inspector.disconnect()
  return files ?? []
}
