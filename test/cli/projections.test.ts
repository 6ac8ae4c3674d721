import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type LettersVigil, openLetters } from '../support/openLetters.ts'
import { operatorToken } from '../support/openVigil.ts'
import { openAnswers } from './support/openAnswers.ts'
import { type Cli, openCli } from './support/openCli.ts'

describe('with events parked', () => {
  let vigil: LettersVigil
  let cli: Cli

  beforeEach(async () => {
    vigil = await openLetters()
    cli = openCli({
      VIGIL_URL: `http://127.0.0.1:${vigil.door.port}`,
      VIGIL_OPERATOR_TOKEN: operatorToken,
    })
    await vigil.add('p', 'a!b')
  })

  afterEach(() => cli.close())

  /** What the command prints; it must end with 0. */
  async function printed(words: readonly string[]): Promise<string> {
    const { code, out, err } = await cli.run(words)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    return out
  }

  test('they are listed below the projections, with why', async () => {
    expect(await printed(['projections'])).toMatch(
      new RegExp(
        [
          '^PROJECTION  VERSION  STATUS  POSITION +LAG  PARKED',
          'letters           1  live +\\d+ +[\\d.]+ s       2',
          '',
          'Parked in letters:',
          'POSITION  EVENT        WAITS IN            ERROR',
          ' +\\d+  LetterAdded  document/letters/p  a poison letter',
          ' +\\d+  LetterAdded  document/letters/p',
          '$',
        ].join('\n'),
      ),
    )
  })

  test('a retry says what it has applied and what stays', async () => {
    const before = await printed(['projections', 'retry', 'letters'])
    vigil.poison.clear()
    const after = await printed(['projections', 'retry', 'letters'])
    const again = await printed(['projections', 'retry', 'letters', '--json'])

    expect(before).toMatch(
      /^letters: applied 0, still parked 2\n\nParked in letters:\nPOSITION .*\n.* a poison letter\n/,
    )
    expect(after).toBe('letters: applied 2, still parked 0\n')
    expect(JSON.parse(again)).toEqual({
      name: 'letters',
      applied: 0,
      parked: 0,
      parked_events: [],
    })
    expect(await vigil.word('p')).toBe('a!b')
  })
})

test('one that does not go on says why, and what is not listed is counted', async () => {
  const parked_events = [
    { position: 7, type: 'RulePublished', sequence: 'stream/s', error: '\u001b[2J' },
  ]
  const answers = await openAnswers(() => ({
    body: {
      projections: [
        {
          ...{ name: 'rules', version: 2, status: 'failing', position: 9, lag_seconds: 1.25 },
          ...{ parked: 12, parked_events, error: 'another log' },
        },
      ],
    },
  }))
  const cli = openCli({ VIGIL_URL: answers.url, VIGIL_OPERATOR_TOKEN: operatorToken })

  const { out } = await cli.run(['projections'])
  cli.close()

  expect(out).toMatchInlineSnapshot(`
    "PROJECTION  VERSION  STATUS   POSITION     LAG  PARKED
    rules             2  failing         9  1.25 s      12

    rules failed: another log

    Parked in rules:
    POSITION  EVENT          WAITS IN  ERROR
           7  RulePublished  stream/s  \\u{1b}[2J
    and 11 more
    "
  `)
})
