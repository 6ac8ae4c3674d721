/** Computes the cost of operations in steps, from rule and evidence, so that replays stop alike. */

/** Steps of an operation by the sizes of its arguments: characters of a text, items of a list, 0 of all else. */
export interface Charge {
  readonly base: number
  /** For each unit of the first argument, of the second, and of the smaller of both. */
  readonly first?: number
  readonly second?: number
  readonly smaller?: number
  /** For each unit of the one with each of the other. */
  readonly product?: number
  /** Units of the first argument beyond which it costs no more. */
  readonly firstMost?: number
}

/** Steps of an operation on arguments of these sizes. */
export type Cost = (aSize: number, bSize: number) => number

/** Charges by id of operation; one whose last argument is written in the rule goes by `preparedId`. */
export type ChargeTable = Readonly<Record<string, Charge>>

/** Steps of the nodes of a rule that are no operations. */
export interface PartCharges {
  /** Foreseen alone: asking for a name is paid with what asks. */
  readonly has: number
  /** Of each operand of a chain of `&&` or `||`. */
  readonly operand: number
  /** Of `?:`. */
  readonly choice: number
  /** Of a list that is made while the rule runs, and of each of its items. */
  readonly list: number
  readonly listItem: number
  /** Of `exists` and `all`, and of going to the next item. */
  readonly loop: number
  readonly loopItem: number
}

/** The steps that a version of the meaning of rules charges, and how many there are. */
export interface Charges {
  /** Of one rule. */
  readonly ruleSteps: number
  /** Of all rules of a run together whose steps are counted while they run. */
  readonly countedSteps: number
  /** Of all other rules of a run together, at most: it is known beforehand that they stay below. */
  readonly uncountedSteps: number
  readonly parts: PartCharges
  readonly costOf: (operation: string) => Cost
}

/** The operation with its last argument written in the rule, where that is charged apart. */
export function preparedId(operation: string): string {
  return `${operation} prepared`
}

/** A charge ready to be asked. */
export function costOf(charge: Charge): Cost {
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
