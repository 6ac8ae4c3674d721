import { beforeEach, describe, expect, test } from 'vitest'
import { letters } from '../projections/lettersProjection.ts'
import { type LettersVigil, openLetters } from '../support/openLetters.ts'
import { openCustomer, openVigil, operatorToken } from '../support/openVigil.ts'

const path = '/v2/operator/projections'

interface Parked {
  readonly position: number
  readonly type: string
  readonly error?: string
}

interface Shown {
  readonly name: string
  readonly parked: number
  readonly parked_events: readonly Parked[]
}

const list = ({ door }: Pick<LettersVigil, 'door'>) =>
  door.request<{ readonly projections: readonly Shown[] }>('GET', path, { token: operatorToken })

const retry = ({ door }: Pick<LettersVigil, 'door'>, name = 'letters') =>
  door.request<Shown & { readonly applied: number }>('POST', `${path}/${name}/retry`, {
    token: operatorToken,
  })

describe('a projection that fails on an event', () => {
  let vigil: LettersVigil

  beforeEach(async () => {
    vigil = await openLetters()
  })

  test('shows what it has parked, and why, while it goes on', async () => {
    const [, poison, behind] = await vigil.add('p', 'a!b')
    const [head] = await vigil.add('q', 'c')

    const { status, headers, body } = await list(vigil)

    expect(status).toBe(200)
    expect(headers['x-vigil-position']).toBe(String(head))
    expect(body.projections).toEqual([
      {
        name: 'letters',
        version: 1,
        position: head,
        lag_seconds: 0,
        status: 'live',
        parked: 2,
        parked_events: [
          {
            position: poison,
            type: 'LetterAdded',
            stream: expect.stringMatching(/^letters-/),
            revision: 0,
            account: 'acc',
            sequence: 'document/letters/p',
            error: 'a poison letter',
          },
          {
            position: behind,
            type: 'LetterAdded',
            stream: expect.stringMatching(/^letters-/),
            revision: 0,
            account: 'acc',
            sequence: 'document/letters/p',
          },
        ],
      },
    ])
  })

  test('may be asked again, once and many times at once', async () => {
    await vigil.add('p', 'a!b')
    vigil.poison.clear()

    const answers = await Promise.all([retry(vigil), retry(vigil), retry(vigil)])
    const last = await retry(vigil)

    expect(answers.map(({ body }) => body.applied).sort()).toEqual([0, 0, 2])
    expect(last.body).toEqual({ name: 'letters', applied: 0, parked: 0, parked_events: [] })
    expect(await vigil.word('p')).toBe('a!b')
  })

  test('says what stays behind the next mistake, and applies what does not', async () => {
    vigil.poison.add('?')
    await vigil.add('p', '!a')
    const [second] = await vigil.add('p', '?')
    await vigil.add('pp', '!')
    vigil.poison.delete('!')

    const { body } = await retry(vigil)

    expect(body).toMatchObject({
      applied: 3,
      parked: 1,
      parked_events: [{ position: second, error: 'a poison letter' }],
    })
    expect([await vigil.word('p'), await vigil.word('pp')]).toEqual(['!a', '!'])
  })

  test('shows the first hundred of many, and counts them all', async () => {
    const [first] = await vigil.add('p', '!'.repeat(105))

    const [listed] = (await list(vigil)).body.projections
    const retried = await retry(vigil)

    expect(listed?.parked).toBe(105)
    expect(listed?.parked_events).toHaveLength(100)
    expect(listed?.parked_events[0]?.position).toBe(first)
    expect(retried.body.parked).toBe(105)
    expect(retried.body.parked_events).toEqual(listed?.parked_events)
  })
})

test('no personal data is shown, whatever the words of the error', async () => {
  const vigil = await openLetters((poison) => ({
    ...letters({ poison }),
    apply: () => {
      throw new Error(
        `no ada@example.com, no +33 6 12 34 56 78, no {"ip":"192.0.2.7"}${'.'.repeat(999)}`,
      )
    },
  }))
  await vigil.add('p', '!')

  const [listed, retried] = [await list(vigil), await retry(vigil)]

  for (const shown of [listed.body.projections[0], retried.body]) {
    const error = shown?.parked_events[0]?.error
    expect(error).toMatch(/^no \[redacted\], no \[redacted\], no \{"ip":"\[redacted\]"\}\.+$/)
    expect(error?.length).toBe(500)
  }
})

test('every projection of a Vigil is there, and nothing is parked when all is well', async () => {
  const vigil = await openVigil()
  const shop = await openCustomer(vigil)

  const { body } = await list(vigil)
  const health = await vigil.door.request<{ projections: object[] }>('GET', '/health/ready')
  const retried = await retry(vigil, 'rules')
  const unknown = [
    await retry(vigil, 'ruels'),
    await retry(vigil, 'Rules'),
    await retry(vigil, '%5f'),
  ]
  const foreign = [
    await shop.send('GET', path),
    await shop.send('POST', `${path}/rules/retry`),
    await vigil.door.request('GET', path),
  ]
  await vigil.close()

  expect(body.projections).toEqual(
    health.body.projections.map((one) => ({ ...one, parked_events: [] })),
  )
  expect(body.projections.length).toBeGreaterThan(5)
  expect(retried.body).toEqual({ name: 'rules', applied: 0, parked: 0, parked_events: [] })
  for (const { status, body: error } of unknown) {
    expect(status).toBe(404)
    expect(error).toMatchObject({ code: 'not_found', message: 'There is nothing of this name.' })
  }
  expect(foreign.map(({ status }) => status)).toEqual([403, 403, 401])
})
