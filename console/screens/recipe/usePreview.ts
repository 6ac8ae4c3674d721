/** Asks what a draft makes of the past while it is moved: one question at a time, the last one last. */

import { useEffect, useRef, useState } from 'preact/hooks'
import type { BacktestReport, BacktestRequest } from '../../api/schema.ts'
import { preview } from '../../api/tried.ts'

interface Shown {
  /** The question that it answers. */
  readonly of: string
  readonly report?: BacktestReport
  readonly failure?: Error
}

interface Preview extends Omit<Shown, 'of'> {
  /** Whether the draft was moved since. */
  readonly isOld: boolean
}

const pauseMs = 250

export function usePreview(request: BacktestRequest | undefined): Preview {
  const asked = request ? JSON.stringify(request) : ''
  const [shown, show] = useState<Shown>({ of: '' })
  const wanted = useRef('')
  const isBusy = useRef(false)
  useEffect(() => {
    wanted.current = asked
    const timer = setTimeout(() => void work(), pauseMs)
    return () => clearTimeout(timer)
  }, [asked])
  useEffect(
    () => () => {
      wanted.current = ''
    },
    [],
  )
  const work = async () => {
    if (isBusy.current) return
    isBusy.current = true
    let done = ''
    while (wanted.current !== '' && wanted.current !== done) {
      done = wanted.current
      const of = done
      await preview(JSON.parse(of)).then(
        (report) => show({ of, report }),
        (failure) => show(({ report }) => ({ of, failure, ...(report && { report }) })),
      )
    }
    isBusy.current = false
  }
  const { of, ...rest } = shown
  return { ...rest, isOld: of !== asked }
}
