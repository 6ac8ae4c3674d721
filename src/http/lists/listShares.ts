/** Limits concurrent list imports and long list responses, per account and in total. */

export interface ListShares {
  /** Lists that are answered whole, under way. */
  readonly longAnswers: Shares
  /** Imports under way. */
  readonly imports: Shares
}

/** So many at once: of an account, and of all. Opened once, for every route of lists. */
export function openListShares(): ListShares {
  return {
    longAnswers: openShares({ share: 4, total: 32 }),
    imports: openShares({ share: 1, total: 8 }),
  }
}

/** Something under way that many hold parts of: no account more than a share, and all together not more than there is. */
export interface Shares {
  /** Why one more is too much for the account; undefined when it is not. */
  readonly refuses: (account: string) => 'share' | 'total' | undefined
  /** Holds one for the account; a second time, `giveBack` does nothing. */
  readonly hold: (account: string) => { readonly giveBack: () => void }
}

function openShares({ share, total }: { readonly share: number; readonly total: number }): Shares {
  const held = new Map<string, number>()
  let all = 0
  const add = (account: string, count: 1 | -1): void => {
    const sum = (held.get(account) ?? 0) + count
    all += count
    if (sum === 0) held.delete(account)
    else held.set(account, sum)
  }
  return {
    refuses: (account) => {
      if ((held.get(account) ?? 0) >= share) return 'share'
      return all >= total ? 'total' : undefined
    },
    hold: (account) => {
      let isHeld = true
      add(account, 1)
      return {
        giveBack: () => {
          if (isHeld) add(account, -1)
          isHeld = false
        },
      }
    },
  }
}
