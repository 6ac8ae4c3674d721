/**
 * The modules as they are shipped: what `npm run build` made of the source, since a loader of TypeScript changes the
 * code it loads.
 */

async function load<Module>(path: string): Promise<Module> {
  return (await import(new URL(`../dist/${path}.js`, import.meta.url).href)) as Module
}

export const { parseRule } = await load<typeof import('../src/engine/language/parse/parseRule.ts')>(
  'engine/language/parse/parseRule',
)
export const { compilePlan } = await load<typeof import('../src/engine/compile/compilePlan.ts')>(
  'engine/compile/compilePlan',
)
export const { semanticsVersion } = await load<
  typeof import('../src/engine/language/semantics.ts')
>('engine/language/semantics')
export const { compileExpression } = await load<
  typeof import('../src/engine/compile/compileExpression.ts')
>('engine/compile/compileExpression')
export const { newMemory, newEvidenceSlots } = await load<
  typeof import('../src/engine/compile/planMemory.ts')
>('engine/compile/planMemory')
export const { operations } = await load<
  typeof import('../src/engine/language/operators/operationTable.ts')
>('engine/language/operators/operationTable')
export const { parseDoubleText, parseIntText } = await load<
  typeof import('../src/engine/language/values/numbers.ts')
>('engine/language/values/numbers')
export const { newId } = await load<typeof import('../src/domain/ids.ts')>('domain/ids')
export const { encode, decode, openPersonal, sealedUnder } =
  await load<typeof import('../src/events/catalogue.ts')>('events/catalogue')
export const { evaluationsProjection } = await load<
  typeof import('../src/projections/evaluation/evaluations.ts')
>('projections/evaluation/evaluations')
export const { openMetrics } =
  await load<typeof import('../src/metrics/openMetrics.ts')>('metrics/openMetrics')
export const { openService } =
  await load<typeof import('../src/app/openService.ts')>('app/openService')
export const { evaluateFlow } = await load<
  typeof import('../src/commands/evaluation/evaluateFlow.ts')
>('commands/evaluation/evaluateFlow')
export const { openKeyring } =
  await load<typeof import('../src/stores/keys/keyring.ts')>('stores/keys/keyring')
export const { openEmbeddedEventStore } = await load<
  typeof import('../src/stores/embedded/embeddedEventStore.ts')
>('stores/embedded/embeddedEventStore')
export const { startWriterThread } = await load<
  typeof import('../src/stores/embedded/writerThread.ts')
>('stores/embedded/writerThread')
export const { startReadModels } =
  await load<typeof import('../src/app/startReadModels.ts')>('app/startReadModels')
export const { openEmbeddedReadStore } = await load<
  typeof import('../src/stores/embedded/embeddedReadStore.ts')
>('stores/embedded/embeddedReadStore')
export const { openEventStoreDb } = await load<
  typeof import('../src/stores/eventstoredb/openEventStoreDb.ts')
>('stores/eventstoredb/openEventStoreDb')
export const { openEmbeddedKeyStore } = await load<
  typeof import('../src/stores/embedded/embeddedKeyStore.ts')
>('stores/embedded/embeddedKeyStore')
export const { replayFolder } = await load<
  typeof import('../src/queries/audit/replays/replayFolder.ts')
>('queries/audit/replays/replayFolder')
