/** An amount of something that many hold parts of: nobody more than a share, and all together not more than there is. */

/** Why nothing more can be held: the key has its share, or all together have all there is. */
export type Crowded = 'share' | 'total'

export interface Shares {
  /** A key of `undefined` is that of all who have none. Why this much more is too much for the key; undefined when it is not. */
  readonly refuses: (key: string | undefined, amount: number) => Crowded | undefined
  /** Holds this much for the key, also when it is too much. */
  readonly hold: (key: string | undefined, amount: number) => Held
  /** What all together hold. */
  readonly held: () => number
}

interface Held {
  /** Holds another amount from now on; nothing once it is given back. */
  readonly resize: (amount: number) => void
  /** A second time does nothing. */
  readonly giveBack: () => void
}

/** Opens the shares: `share` for each key, `total` for all. A key that holds nothing takes no memory. */
export function openShares({
  share,
  total,
}: {
  readonly share: number
  readonly total: number
}): Shares {
  const held = new Map<string | undefined, number>()
  let all = 0

  const add = (key: string | undefined, amount: number): void => {
    const sum = (held.get(key) ?? 0) + amount
    all += amount
    if (sum === 0) held.delete(key)
    else held.set(key, sum)
  }

  return {
    refuses: (key, amount) => {
      if ((held.get(key) ?? 0) + amount > share) return 'share'
      return all + amount > total ? 'total' : undefined
    },
    hold: (key, amount) => {
      let mine: number | undefined = amount
      add(key, amount)
      return {
        resize: (next) => {
          if (mine === undefined) return
          add(key, next - mine)
          mine = next
        },
        giveBack: () => {
          if (mine !== undefined) add(key, -mine)
          mine = undefined
        },
      }
    },
    held: () => all,
  }
}
