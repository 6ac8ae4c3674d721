/** Lists the cost of every operation in steps, and the limits in steps of rules and runs. */

/** Steps of an operation by the sizes of its arguments: characters of a text, items of a list, 0 of all else. */
interface Charge {
  readonly base: number
  /** For each unit of the first argument, of the second, of the smaller of both. */
  readonly first?: number
  readonly second?: number
  readonly smaller?: number
  /** For each pair of units. */
  readonly product?: number
  /** Units of the first argument that are charged at most. */
  readonly firstMost?: number
}

/** Steps of an operation on arguments of these sizes. */
export type CostFunction = (aSize: number, bSize: number) => number

/** Charges by id of operation, or by `preparedId`. */
type ChargeTable = Readonly<Record<string, Charge>>

/** The id under which an operation with a literal last argument is charged. */
export function preparedId(operation: string): string {
  return `${operation} prepared`
}

export function buildCostFunction(charge: Charge): CostFunction {
  const { base, first = 0, second = 0, smaller = 0, product = 0, firstMost } = charge
  if (first + second + smaller + product === 0) return () => base
  const most = firstMost ?? Number.POSITIVE_INFINITY
  return (aSize, bSize) =>
    base +
    first * Math.min(aSize, most) +
    second * bSize +
    smaller * Math.min(aSize, bSize) +
    product * aSize * bSize
}

const one = { base: 2 }
const two = { base: 3 }
const compared = { base: 3, smaller: 1 / 64 }
const ordered = { base: 4, smaller: 3 / 8 }
const cased = { base: 20, first: 3 / 8 }
const partOfTime = { base: 10 }

/** The charge of every operation; `npm run bench -- --only steps` checks each against the clock. */
export const operationCharges: ChargeTable = Object.freeze({
  '!': one,
  '==': compared,
  '!=': compared,
  in: { base: 2, second: 1, product: 1 / 64 },
  'in prepared': { base: 4, first: 1 / 8 },
  '<': one,
  '<=': one,
  '>': one,
  '>=': one,
  '<(string, string)': ordered,
  '<=(string, string)': ordered,
  '>(string, string)': ordered,
  '>=(string, string)': ordered,
  '+(int, int)': one,
  '-(int, int)': one,
  '*(int, int)': one,
  '/(int, int)': two,
  '%(int, int)': two,
  '-(int)': one,
  '+(double, double)': one,
  '-(double, double)': one,
  '*(double, double)': one,
  '/(double, double)': one,
  '-(double)': one,
  '+(string, string)': { base: 3, first: 1 / 16, second: 1 / 16 },
  '+(timestamp, duration)': one,
  '+(duration, timestamp)': one,
  '+(duration, duration)': one,
  '-(timestamp, timestamp)': one,
  '-(timestamp, duration)': one,
  '-(duration, duration)': one,
  'size(string)': { base: 3, first: 1 / 4 },
  'size(list)': one,
  'contains(string, string)': { base: 4, first: 3 / 8, product: 1 / 64 },
  'startsWith(string, string)': { base: 3, smaller: 3 / 8 },
  'endsWith(string, string)': { base: 3, smaller: 3 / 8 },
  'matches(string, string) prepared': { base: 4, product: 3 / 8 },
  'lowerAscii(string)': cased,
  'upperAscii(string)': cased,
  'int(int)': one,
  'int(double)': one,
  'int(string)': { base: 10, first: 1 / 2 },
  'int(timestamp)': one,
  'double(double)': one,
  'double(int)': one,
  'double(string)': { base: 15, first: 1 / 2 },
  'bool(bool)': one,
  'bool(string)': { base: 15 },
  'string(string)': one,
  'string(int)': { base: 8 },
  'string(double)': { base: 30 },
  'string(bool)': one,
  'string(timestamp)': { base: 80 },
  'string(duration)': { base: 20 },
  'timestamp(timestamp)': one,
  'timestamp(string)': { base: 60 },
  'timestamp(int)': one,
  'duration(duration)': one,
  'duration(string)': { base: 20, first: 20, firstMost: 64 },
  'getFullYear(timestamp)': partOfTime,
  'getMonth(timestamp)': partOfTime,
  'getDate(timestamp)': partOfTime,
  'getDayOfMonth(timestamp)': partOfTime,
  'getDayOfWeek(timestamp)': partOfTime,
  'getDayOfYear(timestamp)': { base: 16 },
  'getHours(timestamp)': two,
  'getMinutes(timestamp)': two,
  'getSeconds(timestamp)': two,
  'getMilliseconds(timestamp)': two,
  'getHours(duration)': one,
  'getMinutes(duration)': one,
  'getSeconds(duration)': one,
  'inCidr prepared': { base: 250, second: 4 },
  // spent before the rules run: 4 to 8 microseconds, 22 for a phone number; of networks two for each size on the list,
  // see `planLookups`
  'inList(string, string)': { base: 500 },
  'network(string)': { base: 250 },
  'prefix(string, int) prepared': { base: 20, second: 4 },
  'emailDomain(string)': { base: 60, first: 1 / 4, firstMost: 320 },
  'phoneCountry(string)': { base: 1600 },
})

const costs: ReadonlyMap<string, CostFunction> = new Map(
  Object.entries(operationCharges).map(([id, charge]) => [id, buildCostFunction(charge)]),
)

/** Limits in steps: thirty milliseconds for a run, of which one rule may take five. */
export const charges = Object.freeze({
  /** Limit of one rule. */
  ruleStepsMax: 500_000,
  /** Limit of all rules of a run whose steps are counted while they run. */
  countedStepsMax: 2_000_000,
  /** Limit of all other rules of a run, known from their compilation. */
  uncountedStepsMax: 1_000_000,
  /** Steps of nodes that are no operations: `operand` of `&&` and `||`, `choice` of `?:`. A `counter` is read
   * before the rules run, in 50 microseconds.
   */
  parts: {
    has: 1,
    operand: 1,
    choice: 2,
    list: 4,
    listItem: 1,
    loop: 4,
    loopItem: 3,
    counter: 500,
  },
})

/** The cost of an operation by its id, or by `preparedId`. */
export function requireCost(operation: string): CostFunction {
  const cost = costs.get(operation)
  if (!cost) throw new Error(`an operation without a charge: ${operation}`)
  return cost
}
