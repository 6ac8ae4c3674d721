/** The charges of versions 1 and 2: guessed at about five nanoseconds a step, and far off for some. What was evaluated under them is replayed with them. */

import { type Charges, type ChargeTable, type Cost, costOf, type PartCharges } from './charge.ts'

const copied = { base: 1, first: 1 / 16 }
const ordered = { base: 1, smaller: 1 }
const sought = { base: 1, second: 1 / 16 }
const partOfTime = { base: 10 }

/** What costs more than one step. */
const table: ChargeTable = {
  '==': { base: 1, first: 1 / 16, second: 1 / 16 },
  '!=': { base: 1, first: 1 / 16, second: 1 / 16 },
  in: { base: 1, second: 1, product: 1 / 16 },
  'in prepared': { base: 1, first: 1 / 4 },
  '<(string, string)': ordered,
  '<=(string, string)': ordered,
  '>(string, string)': ordered,
  '>=(string, string)': ordered,
  '+(string, string)': { base: 1, first: 1 / 16, second: 1 / 16 },
  'size(string)': { base: 1, first: 1 / 4 },
  'contains(string, string)': { base: 1, first: 1.5, product: 1 / 32 },
  'startsWith(string, string)': sought,
  'endsWith(string, string)': sought,
  'matches(string, string) prepared': { base: 1, product: 1 },
  'lowerAscii(string)': copied,
  'upperAscii(string)': copied,
  'int(string)': copied,
  'double(string)': copied,
  'bool(string)': copied,
  'timestamp(string)': copied,
  'duration(string)': copied,
  'getFullYear(timestamp)': partOfTime,
  'getMonth(timestamp)': partOfTime,
  'getDate(timestamp)': partOfTime,
  'getDayOfMonth(timestamp)': partOfTime,
  'getDayOfWeek(timestamp)': partOfTime,
  'getDayOfYear(timestamp)': partOfTime,
  'getHours(timestamp)': partOfTime,
  'getMinutes(timestamp)': partOfTime,
  'getSeconds(timestamp)': partOfTime,
  'getMilliseconds(timestamp)': partOfTime,
  'inCidr prepared': { base: 100, second: 4 },
  'emailDomain(string)': { base: 100 },
  'phoneCountry(string)': { base: 4000 },
}

const costs: ReadonlyMap<string, Cost> = new Map(
  Object.entries(table).map(([id, charge]) => [id, costOf(charge)]),
)
const one: Cost = () => 1

const foreseen: PartCharges = Object.freeze({
  has: 1,
  operand: 1,
  choice: 1,
  list: 0,
  listItem: 1,
  loop: 1,
  loopItem: 2,
})

/** The charges of versions 1 and 2. */
export const firstCharges: Charges = Object.freeze<Charges>({
  ruleSteps: 2_000_000,
  countedSteps: 20_000_000,
  uncountedSteps: 20_000_000,
  sharing: 'alike',
  foreseen,
  // lists were made for nothing, whatever they held
  spent: Object.freeze({ ...foreseen, has: 0, listItem: 0, loop: 0 }),
  costOf: (operation) => costs.get(operation) ?? one,
})
