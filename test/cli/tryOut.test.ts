import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { withoutIds } from './support/openCli.ts'
import { openShopOfFile } from './support/openShop.ts'

const shop = await openShopOfFile()

const isLarge = 'double(signal.ext.cart_total) > 500.0 && !signal.existing_user'

function write(name: string, text: string): string {
  const path = join(shop.cli.folder, name)
  writeFileSync(path, text)
  return path
}

describe('rules test', () => {
  const tried = async (...words: string[]) => (await shop.run(['rules', 'test', ...words])).out

  test('shows the outcome, the value of every part, and what was read', async () => {
    const sample = ['--signal', 'existing_user=false', '--ext', 'cart_total=900']

    const out = await tried(isLarge, '--phone', '+33612345678', ...sample)

    expect(out).toMatchInlineSnapshot(`
      "TRIGGERED
      ├─ double(signal.ext.cart_total) > 500.0 && !signal.existing_user  = true
      │  ├─ double(signal.ext.cart_total) > 500.0  = true
      │  │  └─ double(signal.ext.cart_total)  = 900
      │  └─ !signal.existing_user  = true
      │     └─ signal.existing_user  = false
      ├─ double(signal.ext.cart_total) = "900"  from the request
      └─ signal.existing_user = false  from the request
      "
    `)
  })

  test('says what the rule waits for, and which of the sample nothing reads', async () => {
    const out = await tried(isLarge, '--ext', 'cart_totl=900', '--signal', 'existing_user=true')

    expect(out).toMatchInlineSnapshot(`
      "NOT_EVALUATED  (needs signal.ext.cart_total)
      ├─ double(signal.ext.cart_total) > 500.0 && !signal.existing_user  missing
      │  ├─ double(signal.ext.cart_total) > 500.0  missing
      │  │  └─ double(signal.ext.cart_total)  missing
      │  └─ !signal.existing_user  = false
      │     └─ signal.existing_user  = true
      ├─ double(signal.ext.cart_total)  did not arrive
      └─ signal.existing_user = true  from the request

      signal.ext.cart_totl was given, but nothing that ran reads it.
      "
    `)
  })

  test('says that a division by zero failed on what it read, which did arrive', async () => {
    const out = await tried('6 / int(signal.ext.n) == 3', '--ext', 'n=0')

    expect(out).toMatchInlineSnapshot(`
      "NOT_EVALUATED  (failed on signal.ext.n)
      ├─ int(signal.ext.n) is 0; nothing is divided by zero: guard it with int(signal.ext.n) != 0 && …
      ├─ 6 / int(signal.ext.n) == 3  failed
      │  └─ 6 / int(signal.ext.n)  failed
      │     └─ int(signal.ext.n)  = 0
      └─ int(signal.ext.n) = "0"  from the request
      "
    `)
  })

  test('says what a guard of has spared the rule', async () => {
    const rule = 'has(signal.ext.n) ? int(signal.ext.n) > 3 : signal.existing_user'

    const out = await tried(rule, '--signal', 'existing_user=true')

    expect(out).toMatchInlineSnapshot(`
      "TRIGGERED
      ├─ has(signal.ext.n) ? int(signal.ext.n) > 3 : signal.existing_user  = true
      │  ├─ has(signal.ext.n)  = false
      │  ├─ int(signal.ext.n) > 3  missing  (not needed)
      │  │  └─ int(signal.ext.n)  missing
      │  └─ signal.existing_user  = true
      ├─ has(signal.ext.n)  did not arrive
      ├─ int(signal.ext.n)  did not arrive  (not needed)
      └─ signal.existing_user = true  from the request
      "
    `)
  })

  test('says that a signal of the device needs a dispatch, and sees it with one', async () => {
    const words = ['signal.ip == "198.51.100.7"', '--signal', 'ip=198.51.100.7']
    const rule = words[0] ?? ''

    const alone = await tried(...words)
    const dispatched = await tried(...words, '--dispatched')
    const overridden = await tried(...words, '--dispatch-signal', 'ip=198.51.100.8')
    const unasked = await tried('list.block', ...words.slice(1))

    expect(alone).toMatch(/^NOT_EVALUATED {2}\(needs signal\.ip\)\n/)
    expect(alone).toContain(
      'signal.ip  did not arrive: "198.51.100.7" was sent in the request, but it counts only with a dispatch\n',
    )
    expect(alone).toMatch(/\n\nTo try it as if a dispatch were named, add --dispatched\.\n$/)
    expect(dispatched).toBe(
      `TRIGGERED\n├─ ${rule}  = true\n│  └─ signal.ip  = "198.51.100.7"\n` +
        '└─ signal.ip = "198.51.100.7"  from the request\n',
    )
    expect(overridden).toMatch(/^NOT_TRIGGERED\n/)
    expect(overridden).toContain(
      'signal.ip = "198.51.100.8"  from the dispatch; "198.51.100.7" was sent in the request, but the dispatch brought another value\n',
    )
    expect(overridden).not.toContain('--dispatched')
    expect(unasked).toContain(
      '\n\nSent, not counted:\n  signal.ip = "198.51.100.7"  in the request, because it counts only with a dispatch\n',
    )
  })

  test('takes lists, the clock and an address', async () => {
    const expression =
      'list.block && !list.allow && request.time.getHours() == 3 && emailDomain(target.email_address) == "example.com"'

    const out = await tried(
      ...[expression, '--list', 'block', '--email', 'Ada@Example.com'],
      ...['--time', '2026-11-21T05:30:00+02:00'],
    )

    expect(out).toMatch(/^TRIGGERED\n/)
    expect(out).toContain('request.time = "2026-11-21T03:30:00.000Z"  from the service\n')
    expect(out).toContain('list.block = true  from the account’s lists\n')
  })

  test('takes the rule out of a file, as pull writes it, or of standard input', async () => {
    const file = write(
      'rule.yaml',
      'id: rul_1\nname: A\nexpression: |-\n  list.block\n  || list.allow\n',
    )

    const fromFile = await tried('--file', file, '--list', 'allow')
    const piped = await shop.run(['rules', 'test', '--file', '-'], {
      stdin: '{"expression": "list.block"}',
    })

    expect(fromFile).toMatch(/^TRIGGERED\n├─ list\.block \|\| list\.allow {2}= true\n/)
    expect(piped.out).toBe(
      'NOT_TRIGGERED\n├─ list.block\n└─ list.block = false  from the account’s lists\n',
    )
  })

  test('points at every mistake of a rule that does not compile', async () => {
    const expression = 'signal.ipp == "x" ||\n  "ü🛒" != signal.ext.a + 1'

    const { code, out, err } = await shop.cli.run(['rules', 'test', expression])

    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err.replace(/request_id: .*/, 'request_id: …')).toMatchInlineSnapshot(`
      "vigil: invalid_rule: The expression does not compile; see details.
        expression:1:1: undeclared reference to 'signal.ipp'; did you mean 'signal.ip'?
          signal.ipp == "x" ||
          ^^^^^^^^^^
        expression:2:11: found no matching overload for '_+_' applied to '(string, int)'; convert the text first: int(…)
            "ü🛒" != signal.ext.a + 1
                     ^^^^^^^^^^^^^^^^
        request_id: …
      "
    `)
  })

  test.each([
    [[], 'Give the rule as an argument, or by --file.'],
    [['list.block', '--file', 'a.yaml'], 'Give the rule as an argument, or by --file.'],
    [[' '], 'The rule must be a text.'],
    [['--file', '/no/such/file'], 'There is no file'],
    [['--file', '-'], 'The expression in - must be a text.'],
    [['list.block', '--signal', 'colour=red'], 'There is no signal colour'],
    [['list.block', '--signal', 'existing_user=maybe'], 'is true or false'],
    [['list.block', '--dispatch-signal', 'existing_user=true'], 'existing_user is none of them'],
    [['list.block', '--dispatch-signal', 'device_platform=fridge'], 'is one of android'],
    [['list.block', '--list', 'grey'], 'Must be of: allow, block.'],
    [['list.block', '--time', '07:30'], 'Must be a time, as in 2026-11-21T07:30 (UTC)'],
    [['list.block', '--time', '2026-13-41T07:30:00Z'], 'Must be a time, as in'],
  ])('%j is refused with 2 before anything is asked', async (words, said) => {
    const asked = vi.spyOn(globalThis, 'fetch')

    const { code, out, err } = await shop.cli.run(['rules', 'test', ...words], {
      stdin: 'name: A\n',
    })

    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(said)
    expect(asked).not.toHaveBeenCalled()
    asked.mockRestore()
  })
})

describe('flows test', () => {
  let flow: string
  let live: string
  let large: string

  beforeAll(async () => {
    const { customer } = shop
    large = await customer.rule('double(signal.ext.total) > 500.0', 'Large cart')
    const says = await customer.rule('has(signal.existing_user)', 'Says who')
    live = await customer.recipe([
      { rule_id: large, weight: 60 },
      { rule_id: await customer.rule('signal.ip == "192.0.2.7"', 'Known address'), weight: 5 },
    ])
    const shadow = await customer.recipe([{ rule_id: says, weight: 1 }], {
      status: 'SHADOW',
      threshold: 1,
    })
    flow = await customer.flow([live, shadow])
  })

  const person = ['--phone', '+33612345678', '--ext', 'total=900']
  const tried = async (...words: string[]) =>
    withoutIds((await shop.run(['flows', 'test', flow, ...person, ...words])).out)

  test('shows why every rule came out as it did, in live and shadow recipes', async () => {
    const out = await tried('--signal', 'ip=203.0.113.7', '--ext', 'unread=1')

    expect(out).toMatchInlineSnapshot(`
      "FLAG  a flow  flo_00000000000000000000000001  tried, not recorded

      a recipe  rcp_00000000000000000000000002  LIVE  FLAG  score 60 of threshold 50, partial evidence
      ├─ TRIGGERED  Large cart  weight 60
      │  ├─ double(signal.ext.total) > 500.0
      │  └─ double(signal.ext.total) = "900"  from the request
      └─ NOT_EVALUATED  Known address  weight 5  (needs signal.ip)
         ├─ signal.ip == "192.0.2.7"
         └─ signal.ip  did not arrive: "203.0.113.7" was sent in the request, but it counts only with a dispatch

      a recipe  rcp_00000000000000000000000003  SHADOW  PASS  score 0 of threshold 1
      └─ NOT_TRIGGERED  Says who  weight 1
         ├─ has(signal.existing_user)
         └─ has(signal.existing_user)  did not arrive

      Sent, not counted:
        signal.ip = "203.0.113.7"  in the request, because it counts only with a dispatch

      signal.ext.unread was given, but nothing that ran reads it.
      To try it as if a dispatch were named, add --dispatched.
      "
    `)
  })

  test('with --expressions also the value of every part', async () => {
    const out = await tried('--expressions')

    expect(out).toContain(
      '│  ├─ double(signal.ext.total) > 500.0  = true\n│  │  └─ double(signal.ext.total)  = 900\n',
    )
  })

  test('runs a draft in place of the recipes of the flow', async () => {
    const draft = write(
      'draft.yaml',
      [
        'recipes:',
        `  - ${live}`,
        '  - name: Hurried',
        '    threshold: 50',
        '    rules:',
        `      - rule_id: ${large}`,
        '        weight: 10',
        '      - name: In a hurry',
        '        expression: int(signal.ext.minutes) < 10',
        '        weight: 40',
        '',
      ].join('\n'),
    )

    const out = await tried('--draft', draft, '--ext', 'minutes=2')

    expect(out).toMatchInlineSnapshot(`
      "FLAG  a flow  flo_00000000000000000000000001  tried, not recorded

      a recipe  rcp_00000000000000000000000002  LIVE  FLAG  score 60 of threshold 50, partial evidence
      ├─ TRIGGERED  Large cart  weight 60
      │  ├─ double(signal.ext.total) > 500.0
      │  └─ double(signal.ext.total) = "900"  from the request
      └─ NOT_EVALUATED  Known address  weight 5  (needs signal.ip)
         ├─ signal.ip == "192.0.2.7"
         └─ signal.ip  did not arrive

      Hurried  draft.recipes.1  LIVE  FLAG  score 50 of threshold 50
      ├─ TRIGGERED  Large cart  weight 10
      │  ├─ double(signal.ext.total) > 500.0
      │  └─ double(signal.ext.total) = "900"  from the request
      └─ TRIGGERED  In a hurry  weight 40
         ├─ int(signal.ext.minutes) < 10
         └─ int(signal.ext.minutes) = "2"  from the request
      "
    `)
  })

  test('takes what get prints for a draft, with recipes that get prints in it', async () => {
    const asFlow = await shop.run(['flows', 'get', flow])
    const asRecipe = await shop.read(['recipes', 'get', live])
    const written = JSON.stringify({ recipes: [{ ...asRecipe, threshold: 61 }] })
    const words = ['flows', 'test', flow, ...person, '--time', '2026-11-21T07:30:00Z']

    const asItIs = await shop.read(words)
    const same = await shop.run([...words, '--draft', '-', '--json'], { stdin: asFlow.out })
    const changed = await shop.run([...words, '--draft', '-', '--json'], { stdin: written })

    expect(same.json()).toEqual(asItIs)
    expect(changed.json()).toMatchObject({
      verdict: 'PASS',
      recipes: [{ recipe_id: 'draft.recipes.0', score: 60, threshold: 61 }],
    })
  })

  test('ends with 10 for FLAG only when asked to', async () => {
    const words = ['flows', 'test', flow, '--phone', '+33612345678', '--ext']

    const codes = [
      (await shop.cli.run([...words, 'total=900'])).code,
      (await shop.cli.run([...words, 'total=900', '--exit-code'])).code,
      (await shop.cli.run([...words, 'total=100', '--exit-code'])).code,
    ]

    expect(codes).toEqual([0, 10, 0])
  })

  test('says that no recipe ran', async () => {
    const draft = await shop.customer.recipe([], { status: 'DRAFT' })
    const idle = await shop.customer.flow([draft])

    const { out } = await shop.run(['flows', 'test', idle, '--email', 'ada@example.com'])

    expect(out).toBe(
      [
        `PASS  a flow  ${idle}  tried, not recorded`,
        '',
        'No recipe ran: none is LIVE or SHADOW.',
        '',
        'warning: recipes: No recipe of the flow is live: it answers PASS, whoever is evaluated.',
        '',
      ].join('\n'),
    )
  })

  test('points at the mistake in a rule of the draft', async () => {
    const stdin =
      'recipes: [{threshold: 1, rules: [{weight: 1, expression: list.block && signal.typo}]}]'

    const { code, err } = await shop.cli.run(['flows', 'test', flow, ...person, '--draft', '-'], {
      stdin,
    })

    expect(code).toBe(1)
    expect(err).toContain(
      [
        "  draft.recipes.0.rules.0.expression:1:15: undeclared reference to 'signal.typo'; did you mean 'signal.ext.typo'?",
        '    list.block && signal.typo',
        '                  ^^^^^^^^^^^\n',
      ].join('\n'),
    )
  })

  test.each([
    [[], '', 'Name the end user: --phone, --email or both.'],
    [['--phone', '+33612345678', '--draft', '-'], 'a: 1', 'must have a list of recipes'],
    [['--phone', '+33612345678', '--draft', '-'], 'recipes: []', 'must have a list of recipes'],
    [
      ['--phone', '+33612345678', '--draft', '-'],
      'recipes: [rcp_1]\ntarget: {}',
      'target is not a field of a draft',
    ],
    [['--phone', '+33612345678', '--draft', '/no/such/file'], '', 'There is no file'],
  ])('%j with %j is refused with 2 before anything is asked', async (words, stdin, said) => {
    const asked = vi.spyOn(globalThis, 'fetch')

    const { code, err } = await shop.cli.run(['flows', 'test', flow, ...words], { stdin })

    expect(code).toBe(2)
    expect(err).toContain(said)
    expect(asked).not.toHaveBeenCalled()
    asked.mockRestore()
  })
})
