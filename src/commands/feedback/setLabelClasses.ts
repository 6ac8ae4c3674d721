/** Sets what an account takes for fraud and for legitimate. */

import type { Call, WriteResult } from '../../domain/call.ts'
import { labelClassesMax, labelClassSchema } from '../../domain/evaluation/labelClasses.ts'
import { notFound } from '../../domain/failure.ts'
import { closedObject, openObject, type TypeOf } from '../../domain/jsonSchema.ts'
import { canonicalJson } from '../../domain/text/canonicalJson.ts'
import { type AccountEvent, accountStream } from '../../events/accounts/account.ts'
import { type AccountStreams, requireAuthoring } from '../../state/accounts/requireAccess.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { buildEventContext, executeAndWait } from '../handling/executeCommand.ts'

const fields = {
  classes: {
    type: 'array',
    items: labelClassSchema,
    maxItems: labelClassesMax,
    description:
      'The first entry that fits an event gives its class; an event that none fits has no class.',
  },
} as const

export const labelClassesInputSchema = closedObject('LabelClassesInput', fields)
export const labelClassesSchema = openObject('LabelClasses', fields)
export type LabelClasses = TypeOf<typeof labelClassesSchema>

/** No event when they are set already. Throws `access_not_enabled`. */
export async function setLabelClasses(
  context: WriteContext & AccountStreams,
  call: Call,
  { classes }: LabelClasses,
): Promise<WriteResult<LabelClasses>> {
  await requireAuthoring(context, call)
  const account = call.principal.accountId
  const written = await executeAndWait(context, context.accounts, {
    stream: accountStream(account),
    context: buildEventContext(context, call, {
      account,
      operation: 'label_classes.set',
      input: classes,
    }),
    decide: ({ opened, labelClasses }): readonly AccountEvent[] => {
      if (!opened) throw notFound()
      if (labelClasses && canonicalJson(labelClasses) === canonicalJson(classes)) return []
      return [{ type: 'LabelClassesSet', data: { classes } }]
    },
  })
  return { ...written, value: { classes } }
}
