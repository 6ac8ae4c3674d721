/** Declares the types of the API. Generated from its description: `npx vitest run -u test/console/apiTypes.test.ts`. */

export type EvaluationTarget = { readonly "phone_number": string; readonly "email_address"?: string; readonly "type"?: "phone_number" | "email_address"; readonly "value"?: string } | { readonly "phone_number"?: string; readonly "email_address": string; readonly "type"?: "phone_number" | "email_address"; readonly "value"?: string } | { readonly "phone_number"?: string; readonly "email_address"?: string; readonly "type": "phone_number" | "email_address"; readonly "value": string }
export type Signals = { readonly "ip"?: string; readonly "device_id"?: string; readonly "device_platform"?: "android" | "ios" | "ipados" | "tvos" | "web" | ""; readonly "device_model"?: string; readonly "os_version"?: string; readonly "app_version"?: string; readonly "user_agent"?: string; readonly "ja4_fingerprint"?: string; readonly "is_trusted_user"?: boolean; readonly "existing_user"?: boolean; readonly "ext"?: Readonly<Record<string, string | number | boolean>> }
export type CallerMetadata = { readonly "correlation_id"?: string }
export type EvaluateRequest = { readonly "flow_id": string; readonly "target": EvaluationTarget; readonly "signals"?: Signals; readonly "dispatch_id"?: string; readonly "attributes"?: Readonly<Record<string, string | number | boolean>>; readonly "metadata"?: CallerMetadata }
export type ErrorDetail = { readonly "path": string; readonly "message": string; readonly "line"?: number; readonly "column"?: number; readonly "length"?: number }
export type Error = { readonly "code": string; readonly "message": string; readonly "type": string; readonly "request_id"?: string; readonly "param"?: string; readonly "details"?: readonly (ErrorDetail)[] }
export type RuleResult = { readonly "rule_id": string; readonly "type": "MANAGED" | "CUSTOM"; readonly "name"?: string; readonly "version_id"?: string; readonly "weight": number; readonly "outcome": "TRIGGERED" | "NOT_TRIGGERED" | "NOT_EVALUATED" | "SKIPPED"; readonly "blocked_by"?: string; readonly "unavailable"?: boolean }
export type RecipeResult = { readonly "recipe_id": string; readonly "threshold": number; readonly "score": number; readonly "verdict": "PASS" | "FLAG"; readonly "partial_evidence": boolean; readonly "determined_by"?: string; readonly "rules": readonly (RuleResult)[] }
export type EvaluateResponse = { readonly "id": string; readonly "verdict": "PASS" | "FLAG"; readonly "recipes": readonly (RecipeResult)[] }
export type PredictRequest = { readonly "target": EvaluationTarget; readonly "signals"?: Signals; readonly "dispatch_id"?: string; readonly "metadata"?: CallerMetadata }
export type Prediction = { readonly "id": string; readonly "prediction": "legitimate" | "suspicious"; readonly "request_id": string }
export type PredictionFlow = { readonly "flow_id": string }
export type PredictionFlowInput = { readonly "flow_id": string }
export type ReportedTarget = { readonly "type": "phone_number" | "email_address"; readonly "value": string }
export type FeedbackSignals = { readonly "ip"?: string; readonly "device_id"?: string; readonly "device_platform"?: "android" | "ios" | "ipados" | "tvos" | "web" | ""; readonly "device_model"?: string; readonly "os_version"?: string; readonly "app_version"?: string; readonly "user_agent"?: string; readonly "ja4_fingerprint"?: string; readonly "is_trusted_user"?: boolean }
export type FeedbackInput = { readonly "target": ReportedTarget; readonly "type": "verification.started" | "verification.completed"; readonly "signals"?: FeedbackSignals; readonly "evaluation_id"?: string; readonly "dispatch_id"?: string; readonly "occurred_at"?: string; readonly "amount"?: string; readonly "currency"?: string; readonly "metadata"?: CallerMetadata }
export type FeedbackBatch = { readonly "feedbacks": readonly (FeedbackInput)[] }
export type BatchReceived = { readonly "status": "success"; readonly "request_id": string; readonly "ignored"?: readonly (string)[] }
export type ReportedEventInput = { readonly "target": ReportedTarget; readonly "label": string; readonly "confidence": "maximum" | "high" | "neutral" | "low" | "minimum"; readonly "evaluation_id"?: string; readonly "dispatch_id"?: string; readonly "occurred_at"?: string; readonly "amount"?: string; readonly "currency"?: string; readonly "metadata"?: CallerMetadata }
export type ReportedEventBatch = { readonly "events": readonly (ReportedEventInput)[] }
export type Sealed = { readonly "sealed": true }
export type SeenTarget = { readonly "type": "phone_number" | "email_address"; readonly "value"?: string | Sealed; readonly "forgotten"?: true }
export type ReportMetadata = { readonly "correlation_id": string | Sealed }
export type Feedback = { readonly "id": string; readonly "received_at": string; readonly "type": "verification.started" | "verification.completed"; readonly "target": SeenTarget; readonly "evaluation_id"?: string; readonly "dispatch_id"?: string | Sealed; readonly "occurred_at"?: string; readonly "amount"?: string; readonly "currency"?: string; readonly "metadata"?: ReportMetadata; readonly "signals"?: FeedbackSignals | Sealed; readonly "position": string }
export type FeedbackList = { readonly "feedbacks": readonly (Feedback)[]; readonly "next_cursor"?: string }
export type ReportedEvent = { readonly "id": string; readonly "reported_at": string; readonly "label": string; readonly "confidence": "maximum" | "high" | "neutral" | "low" | "minimum"; readonly "target": SeenTarget; readonly "evaluation_id"?: string; readonly "dispatch_id"?: string | Sealed; readonly "occurred_at"?: string; readonly "amount"?: string; readonly "currency"?: string; readonly "metadata"?: ReportMetadata; readonly "note"?: string | Sealed; readonly "position": string }
export type ReportedEventList = { readonly "events": readonly (ReportedEvent)[]; readonly "next_cursor"?: string }
export type LabelClass = { readonly "label": string; readonly "confidences"?: readonly ("maximum" | "high" | "neutral" | "low" | "minimum")[]; readonly "class": "fraud" | "legitimate" | "none" }
export type LabelClasses = { readonly "classes": readonly (LabelClass)[] }
export type LabelClassesInput = { readonly "classes": readonly (LabelClass)[] }
export type ImportLineProblem = { readonly "path": string; readonly "message": string }
export type ImportLineError = { readonly "line": number; readonly "id"?: string; readonly "details": readonly (ImportLineProblem)[] }
export type EvaluationImport = { readonly "imported": number; readonly "repeated": number; readonly "failed": number; readonly "errors": readonly (ImportLineError)[]; readonly "position"?: string }
export type ScoreBounds = { readonly "min": number; readonly "max": number }
export type NamedRuleResult = { readonly "rule_id": string; readonly "type": "MANAGED" | "CUSTOM"; readonly "name"?: string; readonly "version_id"?: string; readonly "weight": number; readonly "outcome": "TRIGGERED" | "NOT_TRIGGERED" | "NOT_EVALUATED" | "SKIPPED"; readonly "blocked_by"?: string; readonly "unavailable"?: boolean; readonly "description"?: string }
export type NamedRecipeResult = { readonly "recipe_id": string; readonly "threshold": number; readonly "score": number; readonly "verdict": "PASS" | "FLAG"; readonly "partial_evidence": boolean; readonly "determined_by"?: string; readonly "name"?: string; readonly "score_bounds"?: ScoreBounds; readonly "fragile"?: true; readonly "rules": readonly (NamedRuleResult)[] }
export type EvidenceItem = { readonly "name": string; readonly "value": string | boolean | number | Sealed; readonly "source": "dispatch" | "request" | "user_agent" | "list" | "call" | "counter" | "service"; readonly "revision"?: number; readonly "left_out"?: number }
export type Forgotten = { readonly "forgotten": true }
export type NotCountedSignal = { readonly "name": string; readonly "value": string | boolean | Sealed; readonly "source": "request" | "dispatch"; readonly "reason": "needs_dispatch" | "dispatch_value_wins" | "trusted_user_not_agreed" | "front_end_cannot_vouch" | "address_not_public" | "unknown_field"; readonly "suggestion"?: string }
export type NotCountedValue = { readonly "value": string | boolean | Sealed; readonly "source": "request" | "dispatch"; readonly "reason": "needs_dispatch" | "dispatch_value_wins" | "trusted_user_not_agreed" | "front_end_cannot_vouch" | "address_not_public" | "unknown_field" }
export type ExplainedRead = { readonly "name": string; readonly "use": "read" | "has"; readonly "convert"?: string; readonly "needed"?: false; readonly "arrived": boolean; readonly "value"?: string | boolean | number | Sealed; readonly "source"?: "dispatch" | "request" | "user_agent" | "list" | "call" | "counter" | "service"; readonly "not_counted"?: readonly (NotCountedValue)[] }
export type CounterKeyPart = { readonly "name": string; readonly "value"?: string | Sealed }
export type ExplainedCounter = { readonly "name": string; readonly "window": "10m" | "1h" | "24h" | "7d" | "30d"; readonly "key": readonly (CounterKeyPart)[]; readonly "value"?: number | Sealed; readonly "left_out"?: number; readonly "reason"?: "behind" | "warming" | "too_large" | "not_kept" | "imported" }
export type ExpressionPart = { readonly "text": string; readonly "line": number; readonly "column": number; readonly "state": "value" | "missing" | "failed" | "not_evaluated"; readonly "value"?: unknown; readonly "problem"?: string; readonly "needed"?: false; readonly "parts"?: readonly (ExpressionPart)[] }
export type ExplainedRule = { readonly "rule_id": string; readonly "type": "MANAGED" | "CUSTOM"; readonly "name"?: string; readonly "version_id"?: string; readonly "weight": number; readonly "outcome": "TRIGGERED" | "NOT_TRIGGERED" | "NOT_EVALUATED" | "SKIPPED"; readonly "blocked_by"?: string; readonly "unavailable"?: boolean; readonly "description"?: string; readonly "problem"?: string | Sealed; readonly "expression"?: string; readonly "reads"?: readonly (ExplainedRead)[]; readonly "counters"?: readonly (ExplainedCounter)[]; readonly "parts"?: ExpressionPart | Sealed }
export type ExplainedRecipe = { readonly "recipe_id": string; readonly "threshold": number; readonly "score": number; readonly "verdict": "PASS" | "FLAG"; readonly "partial_evidence": boolean; readonly "determined_by"?: string; readonly "name"?: string; readonly "score_bounds"?: ScoreBounds; readonly "fragile"?: true; readonly "status": "LIVE" | "SHADOW"; readonly "rules": readonly (ExplainedRule)[] }
export type RecipePin = { readonly "recipe_id": string; readonly "version_id": string; readonly "status": "LIVE" | "SHADOW" }
export type PlanPins = { readonly "digest": string; readonly "recipes": readonly (RecipePin)[] }
export type Evaluation = { readonly "id": string; readonly "flow_id": string; readonly "flow_name"?: string; readonly "flow_version_id": string; readonly "evaluated_at": string; readonly "prediction"?: true; readonly "imported"?: true; readonly "verdict": "PASS" | "FLAG"; readonly "fragile"?: true; readonly "recipes": readonly (NamedRecipeResult)[]; readonly "shadow_recipes": readonly (NamedRecipeResult)[]; readonly "dispatch": "none" | "found" | "expired" | "unknown"; readonly "correlation_id"?: string | Sealed; readonly "evidence": readonly (EvidenceItem)[] | Forgotten; readonly "not_counted": readonly (NotCountedSignal)[] | Forgotten; readonly "explanation": readonly (ExplainedRecipe)[] | Forgotten; readonly "plan": PlanPins; readonly "semantics_version": number; readonly "result_hash": string; readonly "position": string; readonly "as_of": string; readonly "counted_to"?: string }
export type ComparedEvaluation = { readonly "id": string; readonly "flow_id": string; readonly "flow_version_id": string; readonly "evaluated_at": string; readonly "verdict": "PASS" | "FLAG" }
export type EvaluationDifferenceItem = { readonly "kind": "evidence" | "list_entry" | "semantics" | "recipe" | "status" | "threshold" | "membership" | "order" | "rule_version" | "weight" | "override"; readonly "recipe_id"?: string; readonly "recipe_name"?: string; readonly "rule_id"?: string; readonly "rule_name"?: string; readonly "name"?: string; readonly "a"?: unknown; readonly "b"?: unknown }
export type EvaluationDifferenceCause = { readonly "differences": readonly (EvaluationDifferenceItem)[] }
export type EvaluationDifference = { readonly "a": ComparedEvaluation; readonly "b": ComparedEvaluation; readonly "causes": readonly (EvaluationDifferenceCause)[]; readonly "smallest": boolean; readonly "others": readonly (EvaluationDifferenceItem)[] }
export type ReplayInput = { readonly "as_of"?: string }
export type ReplayDifference = { readonly "path": string; readonly "recorded"?: unknown; readonly "recomputed"?: unknown }
export type Replay = { readonly "result": "MATCH" | "MISMATCH"; readonly "differences": readonly (ReplayDifference)[] }
export type ReplayAnswer = { readonly "verdict": "PASS" | "FLAG"; readonly "flow_version_id": string; readonly "recipes": readonly (NamedRecipeResult)[] }
export type ReplayAsOf = { readonly "as_of": string; readonly "recorded": ReplayAnswer; readonly "recomputed": ReplayAnswer; readonly "causes": readonly (EvaluationDifferenceCause)[]; readonly "smallest": boolean; readonly "others": readonly (EvaluationDifferenceItem)[] }
export type WatchedRecipe = { readonly "recipe_id": string; readonly "name"?: string; readonly "verdict": "PASS" | "FLAG"; readonly "score": number; readonly "score_bounds"?: ScoreBounds; readonly "fragile"?: true; readonly "partial_evidence": boolean }
export type FollowingReport = { readonly "kind": "feedback" | "event"; readonly "name": string; readonly "confidence"?: "maximum" | "high" | "neutral" | "low" | "minimum"; readonly "occurred_at"?: string; readonly "last_reported_at": string }
export type ListedEvaluation = { readonly "id": string; readonly "flow_id": string; readonly "flow_name"?: string; readonly "evaluated_at": string; readonly "imported"?: true; readonly "verdict": "PASS" | "FLAG"; readonly "fragile"?: true; readonly "position": string; readonly "recipes": readonly (WatchedRecipe)[]; readonly "shadow_recipes": readonly (WatchedRecipe)[]; readonly "followed_by"?: readonly (FollowingReport)[]; readonly "label_class"?: "fraud" | "legitimate"; readonly "followed_by_more"?: true; readonly "forgotten"?: true }
export type EvaluationList = { readonly "evaluations": readonly (ListedEvaluation)[]; readonly "next_after"?: string; readonly "next_before"?: string; readonly "next_cursor"?: string }
export type DraftMembership = { readonly "rule_id": string; readonly "weight": number; readonly "preempts"?: "FLAG" | "PASS"; readonly "version_id"?: string; readonly "name"?: string } | { readonly "weight": number; readonly "preempts"?: "FLAG" | "PASS"; readonly "version_id"?: string; readonly "name"?: string; readonly "expression": string }
export type DraftRecipe = string | { readonly "name"?: string; readonly "status"?: "LIVE" | "SHADOW"; readonly "threshold": number; readonly "rules": readonly (DraftMembership)[]; readonly "base_recipe_id"?: string; readonly "parameters"?: Readonly<Record<string, string | number | boolean>> }
export type DraftFlow = { readonly "recipes": readonly (DraftRecipe)[] }
export type ChangedWeight = { readonly "rule_id": string; readonly "weight": number }
export type BacktestRequest = { readonly "expression"?: string; readonly "flow_id"?: string; readonly "draft"?: DraftFlow; readonly "recipe_id"?: string; readonly "threshold"?: number; readonly "weights"?: readonly (ChangedWeight)[] }
export type BacktestRow = { readonly "answered": "PASS" | "FLAG"; readonly "unchanged"?: "FLAG" | "PASS" | "NOT_EVALUATED"; readonly "draft": "FLAG" | "PASS" | "NOT_EVALUATED"; readonly "evaluations": number; readonly "partial": number; readonly "fraud": number; readonly "legitimate": number; readonly "unlabelled": number }
export type ChangesByDraft = { readonly "to_flag": number; readonly "to_pass": number }
export type ChangesAnyway = { readonly "to_flag": number; readonly "to_pass": number }
export type BacktestChange = { readonly "id": string; readonly "answered": "PASS" | "FLAG"; readonly "unchanged"?: "FLAG" | "PASS" | "NOT_EVALUATED"; readonly "draft": "FLAG" | "PASS" | "NOT_EVALUATED"; readonly "label_class"?: "fraud" | "legitimate" }
export type Backtest = { readonly "id": string; readonly "state": "RUNNING" | "DONE" | "CANCELLED" | "INTERRUPTED" | "FAILED"; readonly "reason"?: string; readonly "started_at": string; readonly "reported_at": string; readonly "tried": "rule" | "draft" | "weights"; readonly "recipe_id"?: string; readonly "end": string; readonly "scanned": number; readonly "done": number; readonly "flow_id"?: string; readonly "lists": "then" | "now"; readonly "from": string; readonly "to": string; readonly "evaluations": number; readonly "forgotten": number; readonly "table": readonly (BacktestRow)[]; readonly "by_draft": ChangesByDraft; readonly "anyway": ChangesAnyway; readonly "changed": readonly (BacktestChange)[]; readonly "changed_more": number }
export type ListedBacktest = { readonly "id": string; readonly "state": "RUNNING" | "DONE" | "CANCELLED" | "INTERRUPTED" | "FAILED"; readonly "reason"?: string; readonly "started_at": string; readonly "reported_at": string; readonly "tried": "rule" | "draft" | "weights"; readonly "recipe_id"?: string; readonly "end": string; readonly "scanned": number; readonly "done": number; readonly "flow_id"?: string; readonly "lists": "then" | "now"; readonly "from": string; readonly "to": string }
export type BacktestList = { readonly "backtests": readonly (ListedBacktest)[] }
export type CountByLabelClass = { readonly "fraud": number; readonly "legitimate": number; readonly "unlabelled": number }
export type MissingName = { readonly "name": string; readonly "evaluations": number }
export type Share = { readonly "value": number; readonly "low": number; readonly "high": number; readonly "of": number }
export type ContainingRule = { readonly "rule_id": string; readonly "name"?: string }
export type ReportedRule = { readonly "rule_id": string; readonly "type": "MANAGED" | "CUSTOM"; readonly "name"?: string; readonly "version_id"?: string; readonly "status": "LIVE" | "SHADOW"; readonly "fires": "always" | "never" | "sometimes" | null; readonly "fired": CountByLabelClass; readonly "not_fired": CountByLabelClass; readonly "not_evaluated": number; readonly "missing": readonly (MissingName)[]; readonly "skipped": number; readonly "unavailable": number; readonly "precision": Share | null; readonly "recall": Share | null; readonly "lift": Share | null; readonly "false_positives": number; readonly "alone": CountByLabelClass; readonly "contained_in"?: ContainingRule }
export type RulesReport = { readonly "from": string; readonly "to": string; readonly "label_class": "fraud" | "legitimate"; readonly "evaluations": CountByLabelClass; readonly "rules": readonly (ReportedRule)[]; readonly "truncated": boolean }
export type ComparedOutcome = { readonly "recipe": "PASS" | "FLAG"; readonly "with": "PASS" | "FLAG"; readonly "partial_evidence": boolean; readonly "evaluations": number; readonly "fraud": number; readonly "legitimate": number; readonly "unlabelled": number; readonly "examples": readonly (string)[]; readonly "where": string }
export type RecipeComparison = { readonly "recipe_id": string; readonly "with": string; readonly "from": string; readonly "to": string; readonly "scanned": number; readonly "agreements": number; readonly "differences": number; readonly "outcomes": readonly (ComparedOutcome)[] }
export type TopValue = { readonly "value": string; readonly "evaluations": number; readonly "flagged": number; readonly "share": number | null; readonly "partial": number; readonly "lift": number | null; readonly "targets": number | null; readonly "first_seen": string | null; readonly "last_seen": string | null }
export type TopFigures = { readonly "evaluations": number; readonly "flagged": number; readonly "share": number | null; readonly "partial": number; readonly "lift": number | null; readonly "targets": number | null; readonly "first_seen": string | null; readonly "last_seen": string | null }
export type OtherValues = { readonly "values": number | null; readonly "evaluations": number; readonly "flagged": number; readonly "share": number | null; readonly "partial": number; readonly "lift": number | null; readonly "targets": number | null; readonly "first_seen": string | null; readonly "last_seen": string | null }
export type TopCut = { readonly "values_until"?: string; readonly "targets_until"?: string }
export type TopValues = { readonly "name": string; readonly "from": string; readonly "to": string; readonly "values": readonly (TopValue)[]; readonly "missing": TopFigures; readonly "forgotten": TopFigures; readonly "others": OtherValues; readonly "all": TopFigures; readonly "cut"?: TopCut }
export type MissingInEvaluations = { readonly "name": string; readonly "evaluations": number; readonly "share": number | null; readonly "fragile": number }
export type ValueForms = { readonly "number": number; readonly "boolean": number; readonly "date": number; readonly "text": number; readonly "empty": number }
export type ArrivedKey = { readonly "key": string; readonly "evaluations": number; readonly "forms": ValueForms; readonly "shortest": number | null; readonly "longest": number | null; readonly "read": boolean; readonly "near": readonly (string)[] }
export type MissingLeftOut = { readonly "names": number; readonly "keys": number }
export type MissingReport = { readonly "from": string; readonly "to": string; readonly "evaluations": number; readonly "forgotten": number; readonly "names": readonly (MissingInEvaluations)[]; readonly "keys": readonly (ArrivedKey)[]; readonly "left_out"?: MissingLeftOut }
export type BacktestReport = { readonly "flow_id"?: string; readonly "lists": "then" | "now"; readonly "from": string; readonly "to": string; readonly "evaluations": number; readonly "forgotten": number; readonly "table": readonly (BacktestRow)[]; readonly "by_draft": ChangesByDraft; readonly "anyway": ChangesAnyway; readonly "changed": readonly (BacktestChange)[]; readonly "changed_more": number }
export type SavedSearch = { readonly "id": string; readonly "name": string; readonly "where"?: string; readonly "flow_id"?: string }
export type SavedSearchList = { readonly "searches": readonly (SavedSearch)[] }
export type SavedSearchInput = { readonly "name": string; readonly "where"?: string; readonly "flow_id"?: string }
export type ReviewClaim = { readonly "evaluation_id": string; readonly "search_id": string; readonly "by": string; readonly "name"?: string; readonly "taken_at": string; readonly "until": string }
export type WaitingReview = { readonly "evaluation_id": string; readonly "evaluated_at": string; readonly "verdict": "PASS" | "FLAG"; readonly "flow_id": string; readonly "flow_name"?: string; readonly "claim"?: ReviewClaim }
export type ReviewQueue = { readonly "waiting": readonly (WaitingReview)[]; readonly "more": boolean }
export type TakeReviewInput = { readonly "evaluation_id"?: string }
export type TakenReview = { readonly "review"?: ReviewClaim }
export type ReviewAnswerInput = { readonly "evaluation_id": string; readonly "answer": "fraud" | "legitimate" | "unsure" | "withdrawn"; readonly "note"?: string }
export type AnsweredReview = { readonly "evaluation_id": string; readonly "answer": "fraud" | "legitimate" | "unsure" | "withdrawn"; readonly "label": string; readonly "by": string; readonly "answered_at": string }
export type FlowFigures = { readonly "evaluations": number; readonly "flagged": number; readonly "share": number | null; readonly "fragile": number }
export type FlowBucket = { readonly "from": string; readonly "local"?: string; readonly "unfinished"?: true; readonly "evaluations": number; readonly "flagged": number; readonly "share": number | null; readonly "fragile": number }
export type MissingStatistics = { readonly "name": string; readonly "evaluations": number; readonly "fragile": number }
export type RecipeFigures = { readonly "evaluations": number; readonly "flagged": number; readonly "share": number | null; readonly "fragile": number; readonly "partial": number; readonly "overridden": number; readonly "median_score": number | null }
export type RecipeBucket = { readonly "from": string; readonly "local"?: string; readonly "unfinished"?: true; readonly "evaluations": number; readonly "flagged": number; readonly "share": number | null; readonly "fragile": number; readonly "partial": number; readonly "overridden": number; readonly "median_score": number | null }
export type ScoreBin = { readonly "score": number; readonly "evaluations": number }
export type RecipeStatistics = { readonly "recipe_id": string; readonly "name"?: string; readonly "status": "LIVE" | "SHADOW"; readonly "thresholds": readonly (number)[]; readonly "figures": RecipeFigures; readonly "whole_hours": RecipeFigures; readonly "week_before": RecipeFigures; readonly "buckets": readonly (RecipeBucket)[]; readonly "histogram": readonly (ScoreBin)[] }
export type FlowStatistics = { readonly "flow_id": string; readonly "name"?: string; readonly "imported": boolean; readonly "figures": FlowFigures; readonly "whole_hours": FlowFigures; readonly "week_before": FlowFigures; readonly "buckets": readonly (FlowBucket)[]; readonly "missing": readonly (MissingStatistics)[]; readonly "recipes": readonly (RecipeStatistics)[] }
export type Statistics = { readonly "from": string; readonly "to": string; readonly "by": "hour" | "day"; readonly "zone": string; readonly "source": "counts" | "scan"; readonly "finished": string; readonly "flows": readonly (FlowStatistics)[] }
export type HistoryEvent = { readonly "position": string; readonly "id": string; readonly "type": string; readonly "stream": string; readonly "revision": number; readonly "recorded_at": string; readonly "actor": string; readonly "request_id"?: string; readonly "command_id": string; readonly "causation"?: string; readonly "subjects"?: readonly (string)[]; readonly "summary": string; readonly "content": Readonly<Record<string, unknown>> }
export type History = { readonly "events": readonly (HistoryEvent)[]; readonly "next_after": string; readonly "next_before"?: string }
export type ConfigurationItem = { readonly "kind": "rule" | "recipe" | "flow" | "list" | "account" | "token" | "sdk_key" | "application" | "sender_id" | "template" | "retention" | "entry"; readonly "id": string; readonly "position": string; readonly "changed_at": string; readonly "changed_by": string; readonly "content": Readonly<Record<string, unknown>> }
export type ConfigurationState = { readonly "as_of": string; readonly "items": readonly (ConfigurationItem)[]; readonly "next_cursor"?: string }
export type ConfigurationFieldChange = { readonly "path": string; readonly "before"?: unknown; readonly "after"?: unknown }
export type ConfigurationChange = { readonly "kind": "rule" | "recipe" | "flow" | "list" | "account" | "token" | "sdk_key" | "application" | "sender_id" | "template" | "retention" | "entry"; readonly "id": string; readonly "position": string; readonly "changed_at": string; readonly "changed_by": string; readonly "change": "added" | "removed" | "changed"; readonly "name"?: string; readonly "fields": readonly (ConfigurationFieldChange)[] }
export type ConfigurationDifference = { readonly "from": string; readonly "to": string; readonly "changes": readonly (ConfigurationChange)[]; readonly "next_cursor"?: string }
export type Loss = { readonly "lost": "events" | "keys"; readonly "accepted_at": string; readonly "position": string; readonly "kept_position"?: string; readonly "first_position"?: string; readonly "last_position"?: string; readonly "reason"?: "gone" | "damaged" | "older_copy" | "no_master_key" | "other_master_key" }
export type LossList = { readonly "losses": readonly (Loss)[] }
export type ErasedUser = { readonly "app_id": string; readonly "user_id": string }
export type ErasureInput = { readonly "phone_number"?: string; readonly "email_address"?: string; readonly "user"?: ErasedUser; readonly "reason"?: string }
export type Erasure = { readonly "id": string; readonly "kind": "phone_number" | "email_address" | "user"; readonly "reason"?: string; readonly "requested_by": string; readonly "requested_at": string; readonly "erased_at": string; readonly "keys": number; readonly "evaluations": number; readonly "dispatches": number; readonly "users": number; readonly "position": string; readonly "erasures": readonly (string)[] }
export type Retention = { readonly "evaluations_days"?: number; readonly "erased_until"?: string; readonly "evaluations_erased": number; readonly "dispatches_erased": number; readonly "keys_destroyed": number }
export type RetentionInput = { readonly "evaluations_days": number }
export type ReplayOfAllInput = { readonly "flow_id"?: string; readonly "from"?: string; readonly "to"?: string; readonly "after"?: string }
export type ReplayMismatch = { readonly "evaluation_id": string; readonly "position": string; readonly "reason": string }
export type ReplayOfAll = { readonly "id": string; readonly "state": "RUNNING" | "DONE" | "CANCELLED" | "INTERRUPTED" | "FAILED"; readonly "reason"?: string; readonly "started_at": string; readonly "reported_at": string; readonly "flow_id"?: string; readonly "from"?: string; readonly "to"?: string; readonly "after": string; readonly "end": string; readonly "position": string; readonly "match": number; readonly "mismatch": number; readonly "evidence_erased": number; readonly "mismatches": readonly (ReplayMismatch)[]; readonly "evaluations_per_second": number; readonly "seconds_left"?: number }
export type ReplayList = { readonly "replays": readonly (ReplayOfAll)[] }
export type OfferedRule = { readonly "id": string; readonly "type": "MANAGED"; readonly "description": string }
export type OfferedRulePage = { readonly "rules": readonly (OfferedRule)[]; readonly "next_cursor"?: string }
export type RuleParameter = { readonly "name": string; readonly "type": "BOOL" | "INT" | "DOUBLE" | "STRING" }
export type ManagedRule = { readonly "id": string; readonly "version_id": string; readonly "name": string; readonly "expression": string; readonly "description": string; readonly "parameters": readonly (RuleParameter)[] }
export type ManagedRulePage = { readonly "rules": readonly (ManagedRule)[]; readonly "next_cursor"?: string }
export type ManagedRuleInput = { readonly "name": string; readonly "expression": string; readonly "description": string; readonly "parameters"?: readonly (RuleParameter)[] }
export type Warning = { readonly "code": "rule_always_triggers" | "rule_never_triggers" | "impossible_text" | "private_network" | "recipe_always_flags" | "recipe_never_flags" | "flow_without_live_recipe" | "duplicate_name" | "key_never_arrives"; readonly "message": string; readonly "path": string }
export type SavedManagedRule = { readonly "id": string; readonly "version_id": string; readonly "name": string; readonly "expression": string; readonly "description": string; readonly "parameters": readonly (RuleParameter)[]; readonly "warnings"?: readonly (Warning)[] }
export type ManagedRuleVersion = { readonly "change": "created" | "restored" | "status_set" | "deleted"; readonly "changed_at": string; readonly "changed_by": string; readonly "version_id": string; readonly "created_at": string; readonly "created_by": string; readonly "restored_at"?: string; readonly "restored_by"?: string; readonly "current": boolean; readonly "name": string; readonly "expression": string; readonly "description": string; readonly "parameters": readonly (RuleParameter)[] }
export type ManagedRuleVersionPage = { readonly "versions": readonly (ManagedRuleVersion)[]; readonly "next_cursor"?: string }
export type ThresholdBounds = { readonly "min": number; readonly "max": number }
export type RecipeParameter = { readonly "name": string; readonly "type": "BOOL" | "INT" | "DOUBLE" | "STRING" | "ENUM"; readonly "default_value": string | number | boolean; readonly "value_min"?: number; readonly "value_max"?: number; readonly "values"?: readonly (string)[] }
export type OfferedRecipe = { readonly "id": string; readonly "description": string; readonly "threshold": number; readonly "threshold_bounds": ThresholdBounds; readonly "parameters": readonly (RecipeParameter)[] }
export type OfferedRecipePage = { readonly "recipes": readonly (OfferedRecipe)[]; readonly "next_cursor"?: string }
export type ManagedMembership = { readonly "rule_id": string; readonly "weight": number; readonly "preempts"?: "FLAG" | "PASS" }
export type ManagedRecipe = { readonly "id": string; readonly "version_id": string; readonly "name"?: string; readonly "description": string; readonly "threshold": number; readonly "threshold_bounds": ThresholdBounds; readonly "parameters": readonly (RecipeParameter)[]; readonly "rules": readonly (ManagedMembership)[] }
export type ManagedRecipePage = { readonly "recipes": readonly (ManagedRecipe)[]; readonly "next_cursor"?: string }
export type ThresholdBoundsInput = { readonly "min": number; readonly "max": number }
export type RecipeParameterInput = { readonly "name": string; readonly "type": "BOOL" | "INT" | "DOUBLE" | "STRING" | "ENUM"; readonly "default_value": string | number | boolean; readonly "value_min"?: number; readonly "value_max"?: number; readonly "values"?: readonly (string)[] }
export type ManagedRecipeInput = { readonly "name"?: string; readonly "description": string; readonly "threshold": number; readonly "threshold_bounds": ThresholdBoundsInput; readonly "parameters"?: readonly (RecipeParameterInput)[]; readonly "rules": readonly (ManagedMembership)[] }
export type SavedManagedRecipe = { readonly "id": string; readonly "version_id": string; readonly "name"?: string; readonly "description": string; readonly "threshold": number; readonly "threshold_bounds": ThresholdBounds; readonly "parameters": readonly (RecipeParameter)[]; readonly "rules": readonly (ManagedMembership)[]; readonly "warnings"?: readonly (Warning)[] }
export type ManagedRecipeVersion = { readonly "change": "created" | "restored" | "status_set" | "deleted"; readonly "changed_at": string; readonly "changed_by": string; readonly "version_id": string; readonly "created_at": string; readonly "created_by": string; readonly "restored_at"?: string; readonly "restored_by"?: string; readonly "current": boolean; readonly "name"?: string; readonly "description": string; readonly "threshold": number; readonly "threshold_bounds": ThresholdBounds; readonly "parameters": readonly (RecipeParameter)[]; readonly "rules": readonly (ManagedMembership)[] }
export type ManagedRecipeVersionPage = { readonly "versions": readonly (ManagedRecipeVersion)[]; readonly "next_cursor"?: string }
export type Rule = { readonly "id": string; readonly "version_id": string; readonly "name": string; readonly "expression": string }
export type RulePage = { readonly "rules": readonly (Rule)[]; readonly "next_cursor"?: string }
export type RuleInput = { readonly "name": string; readonly "expression": string }
export type SavedRule = { readonly "id": string; readonly "version_id": string; readonly "name": string; readonly "expression": string; readonly "warnings"?: readonly (Warning)[] }
export type RuleVersion = { readonly "change": "created" | "restored" | "status_set" | "deleted"; readonly "changed_at": string; readonly "changed_by": string; readonly "version_id": string; readonly "created_at": string; readonly "created_by": string; readonly "restored_at"?: string; readonly "restored_by"?: string; readonly "current": boolean; readonly "name": string; readonly "expression": string }
export type RuleVersionPage = { readonly "versions": readonly (RuleVersion)[]; readonly "next_cursor"?: string }
export type Membership = { readonly "rule_id": string; readonly "weight": number; readonly "preempts"?: "FLAG" | "PASS"; readonly "version_id"?: string }
export type Recipe = { readonly "id": string; readonly "version_id": string; readonly "name": string; readonly "status": "DRAFT" | "SHADOW" | "LIVE" | "INACTIVE"; readonly "threshold": number; readonly "rules": readonly (Membership)[]; readonly "base_recipe_id"?: string; readonly "parameters"?: Readonly<Record<string, string | number | boolean>> }
export type RecipePage = { readonly "recipes": readonly (Recipe)[]; readonly "next_cursor"?: string }
export type RecipeInput = { readonly "name": string; readonly "status": "DRAFT" | "SHADOW" | "LIVE" | "INACTIVE"; readonly "threshold": number; readonly "rules": readonly (Membership)[]; readonly "base_recipe_id"?: string; readonly "parameters"?: Readonly<Record<string, string | number | boolean>> }
export type SavedRecipe = { readonly "id": string; readonly "version_id": string; readonly "name": string; readonly "status": "DRAFT" | "SHADOW" | "LIVE" | "INACTIVE"; readonly "threshold": number; readonly "rules": readonly (Membership)[]; readonly "base_recipe_id"?: string; readonly "parameters"?: Readonly<Record<string, string | number | boolean>>; readonly "warnings"?: readonly (Warning)[] }
export type RecipeVersion = { readonly "change": "created" | "restored" | "status_set" | "deleted"; readonly "changed_at": string; readonly "changed_by": string; readonly "version_id": string; readonly "created_at": string; readonly "created_by": string; readonly "restored_at"?: string; readonly "restored_by"?: string; readonly "current": boolean; readonly "name": string; readonly "threshold": number; readonly "rules": readonly (Membership)[]; readonly "base_recipe_id"?: string; readonly "parameters"?: Readonly<Record<string, string | number | boolean>>; readonly "status"?: "DRAFT" | "SHADOW" | "LIVE" | "INACTIVE" }
export type RecipeVersionPage = { readonly "versions": readonly (RecipeVersion)[]; readonly "next_cursor"?: string }
export type Flow = { readonly "id": string; readonly "version_id": string; readonly "name": string; readonly "recipes": readonly (string)[] }
export type FlowPage = { readonly "flows": readonly (Flow)[]; readonly "next_cursor"?: string }
export type FlowInput = { readonly "name": string; readonly "recipes": readonly (string)[] }
export type SavedFlow = { readonly "id": string; readonly "version_id": string; readonly "name": string; readonly "recipes": readonly (string)[]; readonly "warnings"?: readonly (Warning)[] }
export type FlowVersion = { readonly "change": "created" | "restored" | "status_set" | "deleted"; readonly "changed_at": string; readonly "changed_by": string; readonly "version_id": string; readonly "created_at": string; readonly "created_by": string; readonly "restored_at"?: string; readonly "restored_by"?: string; readonly "current": boolean; readonly "name": string; readonly "recipes": readonly (string)[] }
export type FlowVersionPage = { readonly "versions": readonly (FlowVersion)[]; readonly "next_cursor"?: string }
export type ListInput = { readonly "name": string; readonly "kind": "phone_number" | "email_address" | "email_domain" | "ip_range" | "text"; readonly "description"?: string }
export type ListOfRulebookChange = { readonly "id"?: string; readonly "if_match"?: string; readonly "content": ListInput } | { readonly "id": string; readonly "if_match"?: string; readonly "delete": true }
export type RuleChange = { readonly "id"?: string; readonly "if_match"?: string; readonly "content": RuleInput } | { readonly "id": string; readonly "if_match"?: string; readonly "delete": true }
export type RecipeChange = { readonly "id"?: string; readonly "if_match"?: string; readonly "content": RecipeInput } | { readonly "id": string; readonly "if_match"?: string; readonly "delete": true }
export type FlowChange = { readonly "id"?: string; readonly "if_match"?: string; readonly "content": FlowInput } | { readonly "id": string; readonly "if_match"?: string; readonly "delete": true }
export type RulebookChanges = { readonly "lists"?: readonly (ListOfRulebookChange)[]; readonly "rules"?: readonly (RuleChange)[]; readonly "recipes"?: readonly (RecipeChange)[]; readonly "flows"?: readonly (FlowChange)[]; readonly "dry_run"?: boolean }
export type ChangedResource = { readonly "id"?: string; readonly "version_id"?: string; readonly "changed": boolean }
export type ChangedRulebook = { readonly "lists": readonly (ChangedResource)[]; readonly "rules": readonly (ChangedResource)[]; readonly "recipes": readonly (ChangedResource)[]; readonly "flows": readonly (ChangedResource)[]; readonly "warnings"?: readonly (Warning)[] }
export type ReadableSignal = { readonly "name": string; readonly "type": "bool" | "string" | "timestamp"; readonly "meaning": string; readonly "sources": readonly ("dispatch" | "request" | "user_agent" | "list" | "call" | "counter" | "service")[]; readonly "needs_dispatch": boolean }
export type SignalList = { readonly "signals": readonly (ReadableSignal)[] }
export type SampleDispatchSignals = { readonly "ip"?: string; readonly "device_id"?: string; readonly "device_platform"?: "android" | "ios" | "ipados" | "tvos" | "web" | ""; readonly "device_model"?: string; readonly "os_version"?: string; readonly "app_version"?: string; readonly "user_agent"?: string; readonly "ja4_fingerprint"?: string }
export type SampleLists = { readonly "allow"?: boolean; readonly "block"?: boolean }
export type SampleEvidence = { readonly "target"?: EvaluationTarget; readonly "signals"?: Signals; readonly "dispatch_signals"?: SampleDispatchSignals; readonly "lists"?: SampleLists; readonly "time"?: string }
export type RuleTest = { readonly "expression": string; readonly "evidence": SampleEvidence }
export type RuleTestResult = { readonly "outcome": "TRIGGERED" | "NOT_TRIGGERED" | "NOT_EVALUATED"; readonly "blocked_by"?: string; readonly "unavailable"?: boolean; readonly "problem"?: string; readonly "expression": string; readonly "reads": readonly (ExplainedRead)[]; readonly "counters"?: readonly (ExplainedCounter)[]; readonly "parts": ExpressionPart; readonly "not_counted": readonly (NotCountedSignal)[]; readonly "warnings"?: readonly (Warning)[] }
export type FlowTest = { readonly "target": EvaluationTarget; readonly "signals"?: Signals; readonly "dispatch_signals"?: SampleDispatchSignals; readonly "lists"?: SampleLists; readonly "time"?: string; readonly "draft"?: DraftFlow }
export type FlowTestResult = { readonly "flow_id": string; readonly "flow_name"?: string; readonly "verdict": "PASS" | "FLAG"; readonly "fragile"?: true; readonly "recipes": readonly (NamedRecipeResult)[]; readonly "shadow_recipes": readonly (NamedRecipeResult)[]; readonly "evidence": readonly (EvidenceItem)[]; readonly "not_counted": readonly (NotCountedSignal)[]; readonly "explanation": readonly (ExplainedRecipe)[]; readonly "semantics_version": number; readonly "warnings"?: readonly (Warning)[] }
export type UsingRecipe = { readonly "id": string; readonly "name": string; readonly "status": "DRAFT" | "SHADOW" | "LIVE" | "INACTIVE"; readonly "weight": number; readonly "preempts"?: "FLAG" | "PASS"; readonly "version_id"?: string }
export type UsingFlow = { readonly "id": string; readonly "name": string }
export type RuleUsage = { readonly "rule_id": string; readonly "recipe_count": number; readonly "recipes": readonly (UsingRecipe)[]; readonly "flow_count": number; readonly "flows": readonly (UsingFlow)[] }
export type AccountToken = { readonly "token_id": string; readonly "scopes": readonly ("eval" | "feedback" | "manage" | "author" | "analyse" | "audit" | "operate")[]; readonly "name"?: string; readonly "issued_at": string; readonly "expires_at"?: string; readonly "last_used_at"?: string; readonly "revoked_at"?: string }
export type AccountSdkKey = { readonly "key_id": string; readonly "sdk_key": string; readonly "name"?: string; readonly "origins"?: readonly (string)[]; readonly "issued_at": string; readonly "last_used_at"?: string; readonly "revoked_at"?: string }
export type AccountView = { readonly "account_id": string; readonly "name": string; readonly "opened_at": string; readonly "authoring": boolean; readonly "management": boolean; readonly "trusted_user": boolean; readonly "custom_suffix": boolean; readonly "tokens": readonly (AccountToken)[]; readonly "sdk_keys": readonly (AccountSdkKey)[] }
export type AccountList = { readonly "accounts": readonly (AccountView)[]; readonly "next_cursor"?: string }
export type AccountInput = { readonly "name": string }
export type Account = { readonly "account_id": string }
export type AccessInput = { readonly "authoring"?: boolean; readonly "management"?: boolean; readonly "trusted_user"?: boolean; readonly "custom_suffix"?: boolean }
export type Access = { readonly "authoring": boolean; readonly "management": boolean; readonly "trusted_user": boolean; readonly "custom_suffix": boolean }
export type TokenInput = { readonly "scopes": readonly ("eval" | "feedback" | "manage" | "author" | "analyse" | "audit" | "operate")[]; readonly "name"?: string; readonly "expires_at"?: string }
export type Token = { readonly "token_id": string; readonly "token": string; readonly "name"?: string; readonly "expires_at"?: string }
export type SdkKeyInput = { readonly "name"?: string; readonly "origins"?: readonly (string)[] }
export type SdkKey = { readonly "key_id": string; readonly "sdk_key": string; readonly "name"?: string; readonly "origins"?: readonly (string)[] }
export type SdkKeyOrigins = { readonly "origins": readonly (string)[] }
export type Whoami = { readonly "kind": "account" | "operator"; readonly "scopes": readonly ("eval" | "feedback" | "manage" | "author" | "analyse" | "audit" | "operate")[]; readonly "account_id"?: string; readonly "account_name"?: string; readonly "token_id"?: string; readonly "name"?: string; readonly "expires_at"?: string; readonly "authoring"?: boolean; readonly "management"?: boolean }
export type DispatchSignals = { readonly "ip"?: string; readonly "device_id"?: string; readonly "device_platform"?: "android" | "ios" | "ipados" | "tvos" | "web" | ""; readonly "device_model"?: string; readonly "os_version"?: string; readonly "app_version"?: string; readonly "user_agent"?: string; readonly "ja4_fingerprint"?: string }
export type DispatchInput = { readonly "dispatch_id": string; readonly "signals": DispatchSignals }
export type Dispatch = { readonly "dispatch_id": string }
export type FrontEndSignals = { readonly "device_id"?: string; readonly "device_platform"?: "android" | "ios" | "ipados" | "tvos" | "web" | ""; readonly "device_model"?: string; readonly "os_version"?: string; readonly "app_version"?: string; readonly "user_agent"?: string }
export type FrontEndDispatch = { readonly "dispatch_id": string; readonly "signals": FrontEndSignals }
export type PhoneNumberInput = { readonly "phone_number": string; readonly "reason"?: string; readonly "expires_at"?: string }
export type ListedPhoneNumber = { readonly "phone_number": string }
export type PhoneNumberDeletion = { readonly "phone_number": string; readonly "reason"?: string }
export type PhoneNumber = { readonly "phone_number": string; readonly "created_at": string; readonly "reason"?: string; readonly "expires_at"?: string }
export type PhoneNumberPage = { readonly "phone_numbers": readonly (PhoneNumber)[]; readonly "next_cursor"?: string }
export type PhoneNumberChange = { readonly "change": "added" | "changed" | "deleted"; readonly "at": string; readonly "by": string; readonly "reason"?: string | Sealed; readonly "expires_at"?: string; readonly "position": string }
export type PhoneNumberHistory = { readonly "changes": readonly (PhoneNumberChange)[]; readonly "next_cursor"?: string }
export type ListedSenderId = { readonly "sender_id": string; readonly "status": "pending" | "approved" | "rejected"; readonly "reason"?: string; readonly "submitted_at": string; readonly "decided_at"?: string }
export type SenderIdPage = { readonly "sender_ids": readonly (ListedSenderId)[]; readonly "next_cursor"?: string }
export type SenderIdInput = { readonly "sender_id": string }
export type SenderId = { readonly "sender_id": string; readonly "status": "pending" | "approved" | "rejected"; readonly "reason"?: string }
export type Template = { readonly "id": string; readonly "name": string; readonly "kind": "optimized" | "psd2" | "account-takeover"; readonly "code_size": number; readonly "ttl_minutes": number; readonly "max_retries": number; readonly "retry_delay_seconds": number; readonly "per_phone_number_limit": number; readonly "sliding_window_hours": number; readonly "suffix"?: string }
export type TemplatePage = { readonly "templates": readonly (Template)[]; readonly "next_cursor"?: string }
export type TemplateInput = { readonly "name": string; readonly "kind"?: "optimized" | "psd2" | "account-takeover" | null; readonly "code_size"?: number | null; readonly "ttl_minutes"?: number | null; readonly "max_retries"?: number | null; readonly "retry_delay_seconds"?: number | null; readonly "per_phone_number_limit"?: number | null; readonly "sliding_window_hours"?: number | null; readonly "suffix"?: string | null }
export type TemplatePatch = { readonly "name"?: string; readonly "kind"?: "optimized" | "psd2" | "account-takeover" | null; readonly "code_size"?: number | null; readonly "ttl_minutes"?: number | null; readonly "max_retries"?: number | null; readonly "retry_delay_seconds"?: number | null; readonly "per_phone_number_limit"?: number | null; readonly "sliding_window_hours"?: number | null; readonly "suffix"?: string | null }
export type DeletedTemplate = { readonly "id": string }
export type SubmittedSenderId = { readonly "account_id": string; readonly "sender_id": string; readonly "status": "pending" | "approved" | "rejected"; readonly "reason"?: string; readonly "submitted_at": string; readonly "decided_at"?: string }
export type SubmittedSenderIdPage = { readonly "sender_ids": readonly (SubmittedSenderId)[]; readonly "next_cursor"?: string }
export type SenderIdApproval = { readonly "sender_id": string; readonly "reason"?: string }
export type SenderIdRejection = { readonly "sender_id": string; readonly "reason": string }
export type TokenLifetimesInput = { readonly "access_seconds"?: number; readonly "refresh_seconds"?: number; readonly "session_days"?: number; readonly "signing_key_days"?: number }
export type PasswordPolicyInput = { readonly "min_length"?: number; readonly "max_length"?: number; readonly "uppercase"?: number; readonly "lowercase"?: number; readonly "numbers"?: number; readonly "symbols"?: number }
export type AppSettingsInput = { readonly "tokens"?: TokenLifetimesInput; readonly "password"?: PasswordPolicyInput; readonly "allowed_origins"?: readonly (string)[]; readonly "password_change_revokes"?: "none" | "others" | "all" }
export type AppInput = { readonly "name": string; readonly "app_id"?: string; readonly "settings"?: AppSettingsInput }
export type TokenLifetimes = { readonly "access_seconds": number; readonly "refresh_seconds": number; readonly "session_days": number; readonly "signing_key_days": number }
export type PasswordPolicy = { readonly "min_length": number; readonly "max_length": number; readonly "uppercase": number; readonly "lowercase": number; readonly "numbers": number; readonly "symbols": number }
export type AppSettings = { readonly "tokens": TokenLifetimes; readonly "password": PasswordPolicy; readonly "allowed_origins": readonly (string)[]; readonly "password_change_revokes": "none" | "others" | "all" }
export type App = { readonly "app_id": string; readonly "name": string; readonly "registered_at": string; readonly "retired_at"?: string; readonly "settings": AppSettings }
export type AppList = { readonly "apps": readonly (App)[]; readonly "next_cursor"?: string }
export type MigrationConfigError = { readonly "code": string; readonly "status": string; readonly "message": string }
export type MigrationConfig = { readonly "session_validation_url": string; readonly "created_at": string; readonly "updated_at": string }
export type MigrationConfigAnswer = { readonly "config": MigrationConfig }
export type MigrationConfigInput = { readonly "session_validation_url": string }
export type List = { readonly "id": string; readonly "name": string; readonly "kind": "phone_number" | "email_address" | "email_domain" | "ip_range" | "text"; readonly "description"?: string }
export type ListPage = { readonly "lists": readonly (List)[]; readonly "next_cursor"?: string }
export type ListChange = { readonly "description"?: string }
export type ListEntryInput = { readonly "value": string; readonly "reason"?: string; readonly "expires_at"?: string }
export type ListedListEntry = { readonly "value": string }
export type ListEntryDeletion = { readonly "value": string; readonly "reason"?: string }
export type ListEntry = { readonly "value": string; readonly "created_at": string; readonly "reason"?: string; readonly "expires_at"?: string }
export type ListEntryPage = { readonly "entries": readonly (ListEntry)[]; readonly "next_cursor"?: string }
export type ListEntryChange = { readonly "change": "added" | "changed" | "deleted"; readonly "at": string; readonly "by": string; readonly "reason"?: string | Sealed; readonly "expires_at"?: string; readonly "position": string }
export type ListEntryHistory = { readonly "changes": readonly (ListEntryChange)[]; readonly "next_cursor"?: string }
export type SigningKey = { readonly "kid": string; readonly "public_key": string; readonly "status": "signs" | "verifies" | "retired"; readonly "added_at": string; readonly "retired_at"?: string }
export type SigningKeys = { readonly "signing_keys": readonly (SigningKey)[] }
export type IdentifierInput = { readonly "type": string; readonly "value": string }
export type UserInput = { readonly "identifiers": readonly (IdentifierInput)[] }
export type Identifier = { readonly "type": string; readonly "value": string | Sealed }
export type User = { readonly "id": string; readonly "identifiers": readonly (Identifier)[]; readonly "created_at": string }
export type UserList = { readonly "users": readonly (User)[]; readonly "next_cursor"?: string }
export type PasswordInput = { readonly "password": string }
export type PasswordQuestion = { readonly "password": string; readonly "client"?: string }
export type PasswordCheck = { readonly "valid": boolean }
export type SessionInput = { readonly "device_type"?: string; readonly "device_model"?: string; readonly "os_version"?: string; readonly "country_code"?: string; readonly "scopes"?: readonly (string)[] }
export type Session = { readonly "id": string; readonly "device_type": string | Sealed; readonly "device_model": string | Sealed; readonly "os_version": string | Sealed; readonly "country_code": string | Sealed; readonly "created_at": string; readonly "last_seen_at": string; readonly "expires_at": string }
export type StartedSession = { readonly "session": Session; readonly "refresh_token": string; readonly "refresh_token_expires_at": string; readonly "access_token": string; readonly "expires_at": number }
export type ActiveSessions = { readonly "sessions": readonly (Session)[]; readonly "next_cursor"?: string }
export type ScopeInput = { readonly "scope": string; readonly "session_id"?: string; readonly "seconds"?: number }
export type ScopeGrant = { readonly "scope": string; readonly "session_id"?: string; readonly "granted_at": string; readonly "expires_at": string }
export type ParkedEvent = { readonly "position": number; readonly "type": string; readonly "stream": string; readonly "revision": number; readonly "sequence": string; readonly "account": string; readonly "error"?: string }
export type Projection = { readonly "name": string; readonly "version": number; readonly "position": number; readonly "lag_seconds"?: number; readonly "status": "live" | "catching_up" | "failing"; readonly "parked": number; readonly "parked_events": readonly (ParkedEvent)[]; readonly "error"?: string }
export type ProjectionList = { readonly "projections": readonly (Projection)[] }
export type ProjectionRetry = { readonly "name": string; readonly "applied": number; readonly "parked": number; readonly "parked_events": readonly (ParkedEvent)[]; readonly "error"?: string }
export type Liveness = { readonly "status": "ok" }
export type ProjectionHealth = { readonly "name": string; readonly "version": number; readonly "position": number; readonly "lag_seconds"?: number; readonly "status": "live" | "catching_up" | "failing"; readonly "parked": number }
export type Readiness = { readonly "ready": boolean; readonly "projected_by": "this_instance" | "another_instance" | "nobody"; readonly "stores": Readonly<Record<string, "ok" | "failing">>; readonly "projections": readonly (ProjectionHealth)[] }

export interface Operations {
  'POST /v2/watch/eval': { path: undefined; query: undefined; body: EvaluateRequest; answer: EvaluateResponse }
  'POST /v2/watch/predict': { path: undefined; query: undefined; body: PredictRequest; answer: Prediction }
  'GET /v2/watch/management/predict': { path: undefined; query: undefined; body: undefined; answer: PredictionFlow }
  'PUT /v2/watch/management/predict': { path: undefined; query: undefined; body: PredictionFlowInput; answer: PredictionFlow }
  'DELETE /v2/watch/management/predict': { path: undefined; query: undefined; body: undefined; answer: undefined }
  'POST /v2/watch/feedback': { path: undefined; query: undefined; body: FeedbackBatch; answer: BatchReceived }
  'GET /v2/watch/feedback': { path: undefined; query: { 'phone_number'?: string; 'email_address'?: string; 'type'?: "verification.started" | "verification.completed"; 'correlation_id'?: string; 'order'?: "newest" | "oldest"; 'from'?: string; 'to'?: string; 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: FeedbackList }
  'POST /v2/watch/event': { path: undefined; query: undefined; body: ReportedEventBatch; answer: BatchReceived }
  'GET /v2/watch/event': { path: undefined; query: { 'phone_number'?: string; 'email_address'?: string; 'label'?: string; 'correlation_id'?: string; 'order'?: "newest" | "oldest"; 'from'?: string; 'to'?: string; 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: ReportedEventList }
  'GET /v2/watch/management/labels': { path: undefined; query: undefined; body: undefined; answer: LabelClasses }
  'PUT /v2/watch/management/labels': { path: undefined; query: undefined; body: LabelClassesInput; answer: LabelClasses }
  'POST /v2/watch/evaluations/import': { path: undefined; query: { 'dry_run'?: "true" | "false" }; body: undefined; answer: EvaluationImport }
  'GET /v2/watch/evaluations/{evaluation_id}': { path: { 'evaluation_id': string }; query: { 'explain'?: "rules" | "expressions" }; body: undefined; answer: Evaluation }
  'GET /v2/watch/evaluations/{evaluation_id}/difference': { path: { 'evaluation_id': string }; query: { 'with': string }; body: undefined; answer: EvaluationDifference }
  'POST /v2/watch/evaluations/{evaluation_id}/replay': { path: { 'evaluation_id': string }; query: undefined; body: ReplayInput; answer: Replay | ReplayAsOf }
  'GET /v2/watch/evaluations': { path: undefined; query: { 'flow_id'?: string; 'verdict'?: "PASS" | "FLAG"; 'after'?: number; 'before'?: number; 'phone_number'?: string; 'email_address'?: string; 'ip'?: string; 'device_id'?: string; 'correlation_id'?: string; 'where'?: string; 'order'?: "newest" | "oldest"; 'from'?: string; 'to'?: string; 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: EvaluationList }
  'POST /v2/watch/management/backtests': { path: undefined; query: { 'where'?: string; 'from'?: string; 'to'?: string; 'lists'?: "then" | "now" }; body: BacktestRequest; answer: Backtest }
  'GET /v2/watch/management/backtests': { path: undefined; query: undefined; body: undefined; answer: BacktestList }
  'GET /v2/watch/management/backtests/{backtest_id}': { path: { 'backtest_id': string }; query: undefined; body: undefined; answer: Backtest }
  'POST /v2/watch/management/backtests/{backtest_id}/cancel': { path: { 'backtest_id': string }; query: undefined; body: undefined; answer: Backtest }
  'POST /v2/watch/management/backtests/{backtest_id}/resume': { path: { 'backtest_id': string }; query: { 'where'?: string; 'lists'?: "then" | "now" }; body: BacktestRequest; answer: Backtest }
  'GET /v2/watch/evaluations/export': { path: undefined; query: { 'where'?: string; 'from'?: string; 'to'?: string; 'order'?: "newest" | "oldest"; 'columns'?: string; 'after'?: string; 'format'?: "ndjson" | "csv" | "parquet"; 'excel'?: "true" | "false"; 'limit'?: number; 'progress'?: "true" | "false"; 'min_position'?: number }; body: undefined; answer: undefined }
  'GET /v2/watch/rules/report': { path: undefined; query: { 'flow_id'?: string; 'where'?: string; 'from'?: string; 'to'?: string; 'format'?: "json" | "ndjson"; 'min_position'?: number; 'label_class'?: "fraud" | "legitimate" }; body: undefined; answer: RulesReport }
  'GET /v2/watch/management/recipes/{id}/comparison': { path: { 'id': string }; query: { 'with': string; 'flow_id'?: string; 'where'?: string; 'from'?: string; 'to'?: string; 'format'?: "json" | "ndjson"; 'min_position'?: number }; body: undefined; answer: RecipeComparison }
  'GET /v2/watch/feedback/export': { path: undefined; query: { 'phone_number'?: string; 'email_address'?: string; 'type'?: "verification.started" | "verification.completed"; 'correlation_id'?: string; 'order'?: "newest" | "oldest"; 'from'?: string; 'to'?: string; 'min_position'?: number; 'columns'?: string; 'format'?: "ndjson" | "csv" | "parquet"; 'excel'?: "true" | "false"; 'limit'?: number }; body: undefined; answer: undefined }
  'GET /v2/watch/event/export': { path: undefined; query: { 'phone_number'?: string; 'email_address'?: string; 'label'?: string; 'correlation_id'?: string; 'order'?: "newest" | "oldest"; 'from'?: string; 'to'?: string; 'min_position'?: number; 'columns'?: string; 'format'?: "ndjson" | "csv" | "parquet"; 'excel'?: "true" | "false"; 'limit'?: number }; body: undefined; answer: undefined }
  'GET /v2/watch/evaluations/top': { path: undefined; query: { 'name': string; 'limit'?: number; 'where'?: string; 'from'?: string; 'to'?: string; 'format'?: "json" | "ndjson"; 'min_position'?: number }; body: undefined; answer: TopValues }
  'GET /v2/watch/evaluations/missing': { path: undefined; query: { 'where'?: string; 'from'?: string; 'to'?: string; 'format'?: "json" | "ndjson"; 'min_position'?: number }; body: undefined; answer: MissingReport }
  'POST /v2/watch/management/backtests/preview': { path: undefined; query: { 'where'?: string; 'from'?: string; 'to'?: string; 'lists'?: "then" | "now"; 'min_position'?: number }; body: BacktestRequest; answer: BacktestReport }
  'GET /v2/watch/versions/{version_id}/verdicts': { path: { 'version_id': string }; query: { 'where'?: string; 'from'?: string; 'to'?: string; 'lists'?: "then" | "now"; 'min_position'?: number }; body: undefined; answer: undefined }
  'GET /v2/watch/management/searches': { path: undefined; query: undefined; body: undefined; answer: SavedSearchList }
  'POST /v2/watch/management/searches': { path: undefined; query: undefined; body: SavedSearchInput; answer: SavedSearch }
  'DELETE /v2/watch/management/searches/{search_id}': { path: { 'search_id': string }; query: undefined; body: undefined; answer: undefined }
  'GET /v2/watch/management/searches/{search_id}/review': { path: { 'search_id': string }; query: undefined; body: undefined; answer: ReviewQueue }
  'POST /v2/watch/management/searches/{search_id}/review/take': { path: { 'search_id': string }; query: undefined; body: TakeReviewInput; answer: TakenReview }
  'POST /v2/watch/management/searches/{search_id}/review/answer': { path: { 'search_id': string }; query: undefined; body: ReviewAnswerInput; answer: AnsweredReview }
  'GET /v2/watch/statistics': { path: undefined; query: { 'flow_id'?: string; 'from'?: string; 'to'?: string; 'by'?: "hour" | "day"; 'zone'?: string; 'format'?: "json" | "csv"; 'min_position'?: number }; body: undefined; answer: Statistics }
  'GET /v2/watch/audit/events': { path: undefined; query: { 'type'?: string; 'stream_type'?: string; 'actor'?: string; 'phone_number'?: string; 'email_address'?: string; 'from'?: string; 'to'?: string; 'after'?: number; 'before'?: number; 'limit'?: number; 'min_position'?: number }; body: undefined; answer: History }
  'GET /v2/watch/audit/state': { path: undefined; query: { 'as_of'?: string; 'kind'?: "rule" | "recipe" | "flow" | "list" | "account" | "token" | "sdk_key" | "application" | "sender_id" | "template" | "retention" | "entry"; 'limit'?: number; 'cursor'?: string }; body: undefined; answer: ConfigurationState }
  'GET /v2/watch/audit/difference': { path: undefined; query: { 'from': string; 'to'?: string; 'kind'?: "rule" | "recipe" | "flow" | "list" | "account" | "token" | "sdk_key" | "application" | "sender_id" | "template" | "retention" | "entry"; 'limit'?: number; 'cursor'?: string }; body: undefined; answer: ConfigurationDifference }
  'GET /v2/watch/losses': { path: undefined; query: undefined; body: undefined; answer: LossList }
  'POST /v2/watch/subjects/erase': { path: undefined; query: undefined; body: ErasureInput; answer: Erasure }
  'GET /v2/watch/subjects/erasures/{erasure_id}': { path: { 'erasure_id': string }; query: undefined; body: undefined; answer: Erasure }
  'GET /v2/watch/retention': { path: undefined; query: undefined; body: undefined; answer: Retention }
  'PUT /v2/watch/retention': { path: undefined; query: undefined; body: RetentionInput; answer: Retention }
  'DELETE /v2/watch/retention': { path: undefined; query: undefined; body: undefined; answer: undefined }
  'POST /v2/watch/audit/replays': { path: undefined; query: undefined; body: ReplayOfAllInput; answer: ReplayOfAll }
  'GET /v2/watch/audit/replays': { path: undefined; query: undefined; body: undefined; answer: ReplayList }
  'GET /v2/watch/audit/replays/{replay_id}': { path: { 'replay_id': string }; query: undefined; body: undefined; answer: ReplayOfAll }
  'POST /v2/watch/audit/replays/{replay_id}/cancel': { path: { 'replay_id': string }; query: undefined; body: undefined; answer: ReplayOfAll }
  'GET /v2/watch/management/rules/managed': { path: undefined; query: { 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: OfferedRulePage }
  'GET /v2/operator/managed/rules': { path: undefined; query: { 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: ManagedRulePage }
  'POST /v2/operator/managed/rules': { path: undefined; query: undefined; body: ManagedRuleInput; answer: SavedManagedRule }
  'GET /v2/operator/managed/rules/{id}': { path: { 'id': string }; query: { 'min_position'?: number }; body: undefined; answer: ManagedRule }
  'PUT /v2/operator/managed/rules/{id}': { path: { 'id': string }; query: undefined; body: ManagedRuleInput; answer: SavedManagedRule }
  'DELETE /v2/operator/managed/rules/{id}': { path: { 'id': string }; query: undefined; body: undefined; answer: undefined }
  'GET /v2/operator/managed/rules/{id}/versions': { path: { 'id': string }; query: { 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: ManagedRuleVersionPage }
  'POST /v2/operator/managed/rules/{id}/versions/{version_id}/restore': { path: { 'id': string; 'version_id': string }; query: undefined; body: undefined; answer: SavedManagedRule }
  'GET /v2/watch/management/recipes/managed': { path: undefined; query: { 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: OfferedRecipePage }
  'GET /v2/operator/managed/recipes': { path: undefined; query: { 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: ManagedRecipePage }
  'POST /v2/operator/managed/recipes': { path: undefined; query: undefined; body: ManagedRecipeInput; answer: SavedManagedRecipe }
  'GET /v2/operator/managed/recipes/{id}': { path: { 'id': string }; query: { 'min_position'?: number }; body: undefined; answer: ManagedRecipe }
  'PUT /v2/operator/managed/recipes/{id}': { path: { 'id': string }; query: undefined; body: ManagedRecipeInput; answer: SavedManagedRecipe }
  'DELETE /v2/operator/managed/recipes/{id}': { path: { 'id': string }; query: undefined; body: undefined; answer: undefined }
  'GET /v2/operator/managed/recipes/{id}/versions': { path: { 'id': string }; query: { 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: ManagedRecipeVersionPage }
  'POST /v2/operator/managed/recipes/{id}/versions/{version_id}/restore': { path: { 'id': string; 'version_id': string }; query: undefined; body: undefined; answer: SavedManagedRecipe }
  'GET /v2/watch/management/rules': { path: undefined; query: { 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: RulePage }
  'POST /v2/watch/management/rules': { path: undefined; query: undefined; body: RuleInput; answer: SavedRule }
  'GET /v2/watch/management/rules/{id}': { path: { 'id': string }; query: { 'min_position'?: number }; body: undefined; answer: Rule }
  'PUT /v2/watch/management/rules/{id}': { path: { 'id': string }; query: undefined; body: RuleInput; answer: SavedRule }
  'DELETE /v2/watch/management/rules/{id}': { path: { 'id': string }; query: undefined; body: undefined; answer: undefined }
  'GET /v2/watch/management/rules/{id}/versions': { path: { 'id': string }; query: { 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: RuleVersionPage }
  'POST /v2/watch/management/rules/{id}/versions/{version_id}/restore': { path: { 'id': string; 'version_id': string }; query: undefined; body: undefined; answer: SavedRule }
  'GET /v2/watch/management/recipes': { path: undefined; query: { 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: RecipePage }
  'POST /v2/watch/management/recipes': { path: undefined; query: undefined; body: RecipeInput; answer: SavedRecipe }
  'GET /v2/watch/management/recipes/{id}': { path: { 'id': string }; query: { 'min_position'?: number }; body: undefined; answer: Recipe }
  'PUT /v2/watch/management/recipes/{id}': { path: { 'id': string }; query: undefined; body: RecipeInput; answer: SavedRecipe }
  'DELETE /v2/watch/management/recipes/{id}': { path: { 'id': string }; query: undefined; body: undefined; answer: undefined }
  'GET /v2/watch/management/recipes/{id}/versions': { path: { 'id': string }; query: { 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: RecipeVersionPage }
  'POST /v2/watch/management/recipes/{id}/versions/{version_id}/restore': { path: { 'id': string; 'version_id': string }; query: undefined; body: undefined; answer: SavedRecipe }
  'GET /v2/watch/management/flows': { path: undefined; query: { 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: FlowPage }
  'POST /v2/watch/management/flows': { path: undefined; query: undefined; body: FlowInput; answer: SavedFlow }
  'GET /v2/watch/management/flows/{id}': { path: { 'id': string }; query: { 'min_position'?: number }; body: undefined; answer: Flow }
  'PUT /v2/watch/management/flows/{id}': { path: { 'id': string }; query: undefined; body: FlowInput; answer: SavedFlow }
  'DELETE /v2/watch/management/flows/{id}': { path: { 'id': string }; query: undefined; body: undefined; answer: undefined }
  'GET /v2/watch/management/flows/{id}/versions': { path: { 'id': string }; query: { 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: FlowVersionPage }
  'POST /v2/watch/management/flows/{id}/versions/{version_id}/restore': { path: { 'id': string; 'version_id': string }; query: undefined; body: undefined; answer: SavedFlow }
  'POST /v2/watch/management/changes': { path: undefined; query: undefined; body: RulebookChanges; answer: ChangedRulebook }
  'GET /v2/watch/management/signals': { path: undefined; query: undefined; body: undefined; answer: SignalList }
  'POST /v2/watch/management/rules/test': { path: undefined; query: undefined; body: RuleTest; answer: RuleTestResult }
  'POST /v2/watch/management/flows/{id}/test': { path: { 'id': string }; query: { 'explain'?: "rules" | "expressions" }; body: FlowTest; answer: FlowTestResult }
  'GET /v2/watch/management/rules/{id}/usage': { path: { 'id': string }; query: undefined; body: undefined; answer: RuleUsage }
  'GET /v2/operator/accounts': { path: undefined; query: { 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: AccountList }
  'POST /v2/operator/accounts': { path: undefined; query: undefined; body: AccountInput; answer: Account }
  'GET /v2/operator/accounts/{account_id}': { path: { 'account_id': string }; query: { 'min_position'?: number }; body: undefined; answer: AccountView }
  'PUT /v2/operator/accounts/{account_id}/access': { path: { 'account_id': string }; query: undefined; body: AccessInput; answer: Access }
  'POST /v2/operator/accounts/{account_id}/tokens': { path: { 'account_id': string }; query: undefined; body: TokenInput; answer: Token }
  'DELETE /v2/operator/accounts/{account_id}/tokens/{token_id}': { path: { 'account_id': string; 'token_id': string }; query: undefined; body: undefined; answer: undefined }
  'POST /v2/operator/accounts/{account_id}/sdk-keys': { path: { 'account_id': string }; query: undefined; body: SdkKeyInput; answer: SdkKey }
  'PUT /v2/operator/accounts/{account_id}/sdk-keys/{key_id}': { path: { 'account_id': string; 'key_id': string }; query: undefined; body: SdkKeyOrigins; answer: SdkKey }
  'DELETE /v2/operator/accounts/{account_id}/sdk-keys/{key_id}': { path: { 'account_id': string; 'key_id': string }; query: undefined; body: undefined; answer: undefined }
  'GET /v2/whoami': { path: undefined; query: undefined; body: undefined; answer: Whoami }
  'POST /v2/operator/accounts/{account_id}/dispatches': { path: { 'account_id': string }; query: undefined; body: DispatchInput; answer: Dispatch }
  'POST /v1/signals': { path: undefined; query: undefined; body: FrontEndDispatch; answer: Dispatch }
  'POST /v2/verification/management/phone-numbers/{action}': { path: { 'action': "allow" | "block" }; query: undefined; body: PhoneNumberInput; answer: ListedPhoneNumber }
  'DELETE /v2/verification/management/phone-numbers/{action}': { path: { 'action': "allow" | "block" }; query: undefined; body: PhoneNumberDeletion; answer: ListedPhoneNumber }
  'GET /v2/verification/management/phone-numbers/{action}': { path: { 'action': "allow" | "block" }; query: { 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: PhoneNumberPage }
  'GET /v2/verification/management/phone-numbers/{action}/history': { path: { 'action': "allow" | "block" }; query: { 'phone_number': string; 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: PhoneNumberHistory }
  'POST /v2/verification/management/phone-numbers/{action}/import': { path: { 'action': "allow" | "block" }; query: { 'after_line'?: number }; body: undefined; answer: undefined }
  'GET /v2/verification/management/phone-numbers/{action}/export': { path: { 'action': "allow" | "block" }; query: { 'format'?: "ndjson" | "csv"; 'min_position'?: number }; body: undefined; answer: undefined }
  'GET /v2/verification/management/sender-id': { path: undefined; query: { 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: SenderIdPage }
  'POST /v2/verification/management/sender-id': { path: undefined; query: undefined; body: SenderIdInput; answer: SenderId }
  'GET /v2/verification/management/templates': { path: undefined; query: { 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: TemplatePage }
  'POST /v2/verification/management/templates': { path: undefined; query: undefined; body: TemplateInput; answer: Template }
  'GET /v2/verification/management/templates/{template_id}': { path: { 'template_id': string }; query: { 'min_position'?: number }; body: undefined; answer: Template }
  'PATCH /v2/verification/management/templates/{template_id}': { path: { 'template_id': string }; query: undefined; body: TemplatePatch; answer: Template }
  'DELETE /v2/verification/management/templates/{template_id}': { path: { 'template_id': string }; query: undefined; body: undefined; answer: DeletedTemplate }
  'GET /v2/operator/sender-ids': { path: undefined; query: { 'status'?: "pending" | "approved" | "rejected"; 'account_id'?: string; 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: SubmittedSenderIdPage }
  'POST /v2/operator/accounts/{account_id}/sender-ids/approve': { path: { 'account_id': string }; query: undefined; body: SenderIdApproval; answer: SenderId }
  'POST /v2/operator/accounts/{account_id}/sender-ids/reject': { path: { 'account_id': string }; query: undefined; body: SenderIdRejection; answer: SenderId }
  'POST /v2/session/apps': { path: undefined; query: undefined; body: AppInput; answer: App }
  'GET /v2/session/apps': { path: undefined; query: { 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: AppList }
  'GET /v2/session/apps/{appID}': { path: { 'appID': string }; query: { 'min_position'?: number }; body: undefined; answer: App }
  'DELETE /v2/session/apps/{appID}': { path: { 'appID': string }; query: undefined; body: undefined; answer: undefined }
  'PUT /v2/session/apps/{appID}/settings': { path: { 'appID': string }; query: undefined; body: AppSettingsInput; answer: App }
  'POST /v2/operator/accounts/{account_id}/apps': { path: { 'account_id': string }; query: undefined; body: AppInput; answer: App }
  'GET /v2/operator/accounts/{account_id}/apps': { path: { 'account_id': string }; query: { 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: AppList }
  'GET /v2/operator/accounts/{account_id}/apps/{appID}': { path: { 'account_id': string; 'appID': string }; query: { 'min_position'?: number }; body: undefined; answer: App }
  'DELETE /v2/operator/accounts/{account_id}/apps/{appID}': { path: { 'account_id': string; 'appID': string }; query: undefined; body: undefined; answer: undefined }
  'PUT /v2/operator/accounts/{account_id}/apps/{appID}/settings': { path: { 'account_id': string; 'appID': string }; query: undefined; body: AppSettingsInput; answer: App }
  'GET /v2/session/apps/{appID}/config/migration': { path: { 'appID': string }; query: { 'min_position'?: number }; body: undefined; answer: MigrationConfigAnswer }
  'PUT /v2/session/apps/{appID}/config/migration': { path: { 'appID': string }; query: undefined; body: MigrationConfigInput; answer: MigrationConfigAnswer }
  'DELETE /v2/session/apps/{appID}/config/migration': { path: { 'appID': string }; query: undefined; body: undefined; answer: undefined }
  'GET /v2/watch/management/lists': { path: undefined; query: { 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: ListPage }
  'POST /v2/watch/management/lists': { path: undefined; query: undefined; body: ListInput; answer: List }
  'GET /v2/watch/management/lists/{id}': { path: { 'id': string }; query: { 'min_position'?: number }; body: undefined; answer: List }
  'PUT /v2/watch/management/lists/{id}': { path: { 'id': string }; query: undefined; body: ListChange; answer: List }
  'DELETE /v2/watch/management/lists/{id}': { path: { 'id': string }; query: undefined; body: undefined; answer: undefined }
  'POST /v2/watch/management/lists/{id}/entries': { path: { 'id': string }; query: undefined; body: ListEntryInput; answer: ListedListEntry }
  'DELETE /v2/watch/management/lists/{id}/entries': { path: { 'id': string }; query: undefined; body: ListEntryDeletion; answer: ListedListEntry }
  'GET /v2/watch/management/lists/{id}/entries': { path: { 'id': string }; query: { 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: ListEntryPage }
  'GET /v2/watch/management/lists/{id}/entries/history': { path: { 'id': string }; query: { 'value': string; 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: ListEntryHistory }
  'POST /v2/watch/management/lists/{id}/entries/import': { path: { 'id': string }; query: { 'after_line'?: number }; body: undefined; answer: undefined }
  'GET /v2/watch/management/lists/{id}/entries/export': { path: { 'id': string }; query: { 'format'?: "ndjson" | "csv"; 'min_position'?: number }; body: undefined; answer: undefined }
  'GET /v2/session/apps/{appID}/signing-keys': { path: { 'appID': string }; query: { 'min_position'?: number }; body: undefined; answer: SigningKeys }
  'POST /v2/session/apps/{appID}/signing-keys': { path: { 'appID': string }; query: undefined; body: undefined; answer: SigningKey }
  'DELETE /v2/session/apps/{appID}/signing-keys/{kid}': { path: { 'appID': string; 'kid': string }; query: undefined; body: undefined; answer: undefined }
  'GET /v2/operator/accounts/{account_id}/apps/{appID}/signing-keys': { path: { 'account_id': string; 'appID': string }; query: { 'min_position'?: number }; body: undefined; answer: SigningKeys }
  'POST /v2/operator/accounts/{account_id}/apps/{appID}/signing-keys': { path: { 'account_id': string; 'appID': string }; query: undefined; body: undefined; answer: SigningKey }
  'DELETE /v2/operator/accounts/{account_id}/apps/{appID}/signing-keys/{kid}': { path: { 'account_id': string; 'appID': string; 'kid': string }; query: undefined; body: undefined; answer: undefined }
  'POST /v2/session/apps/{appID}/users': { path: { 'appID': string }; query: undefined; body: UserInput; answer: User }
  'GET /v2/session/apps/{appID}/users': { path: { 'appID': string }; query: { 'type'?: string; 'value'?: string; 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: UserList }
  'GET /v2/session/apps/{appID}/users/{userID}': { path: { 'appID': string; 'userID': string }; query: { 'min_position'?: number }; body: undefined; answer: User }
  'DELETE /v2/session/apps/{appID}/users/{userID}': { path: { 'appID': string; 'userID': string }; query: undefined; body: undefined; answer: undefined }
  'POST /v2/operator/accounts/{account_id}/apps/{appID}/users': { path: { 'account_id': string; 'appID': string }; query: undefined; body: UserInput; answer: User }
  'GET /v2/operator/accounts/{account_id}/apps/{appID}/users': { path: { 'account_id': string; 'appID': string }; query: { 'type'?: string; 'value'?: string; 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: UserList }
  'GET /v2/operator/accounts/{account_id}/apps/{appID}/users/{userID}': { path: { 'account_id': string; 'appID': string; 'userID': string }; query: { 'min_position'?: number }; body: undefined; answer: User }
  'DELETE /v2/operator/accounts/{account_id}/apps/{appID}/users/{userID}': { path: { 'account_id': string; 'appID': string; 'userID': string }; query: undefined; body: undefined; answer: undefined }
  'PUT /v2/session/apps/{appID}/users/{userID}/password': { path: { 'appID': string; 'userID': string }; query: undefined; body: PasswordInput; answer: undefined }
  'POST /v2/session/apps/{appID}/users/{userID}/password/check': { path: { 'appID': string; 'userID': string }; query: undefined; body: PasswordQuestion; answer: PasswordCheck }
  'PUT /v2/operator/accounts/{account_id}/apps/{appID}/users/{userID}/password': { path: { 'account_id': string; 'appID': string; 'userID': string }; query: undefined; body: PasswordInput; answer: undefined }
  'POST /v2/operator/accounts/{account_id}/apps/{appID}/users/{userID}/password/check': { path: { 'account_id': string; 'appID': string; 'userID': string }; query: undefined; body: PasswordQuestion; answer: PasswordCheck }
  'POST /v2/session/apps/{appID}/users/{userID}/sessions': { path: { 'appID': string; 'userID': string }; query: undefined; body: SessionInput; answer: StartedSession }
  'GET /v2/session/apps/{appID}/users/{userID}/sessions': { path: { 'appID': string; 'userID': string }; query: { 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: ActiveSessions }
  'DELETE /v2/session/apps/{appID}/users/{userID}/sessions': { path: { 'appID': string; 'userID': string }; query: undefined; body: undefined; answer: undefined }
  'DELETE /v2/session/apps/{appID}/users/{userID}/sessions/{sessionID}': { path: { 'appID': string; 'userID': string; 'sessionID': string }; query: undefined; body: undefined; answer: undefined }
  'POST /v2/session/apps/{appID}/users/{userID}/scopes': { path: { 'appID': string; 'userID': string }; query: undefined; body: ScopeInput; answer: ScopeGrant }
  'POST /v2/operator/accounts/{account_id}/apps/{appID}/users/{userID}/sessions': { path: { 'account_id': string; 'appID': string; 'userID': string }; query: undefined; body: SessionInput; answer: StartedSession }
  'GET /v2/operator/accounts/{account_id}/apps/{appID}/users/{userID}/sessions': { path: { 'account_id': string; 'appID': string; 'userID': string }; query: { 'limit'?: number; 'cursor'?: string; 'min_position'?: number }; body: undefined; answer: ActiveSessions }
  'DELETE /v2/operator/accounts/{account_id}/apps/{appID}/users/{userID}/sessions': { path: { 'account_id': string; 'appID': string; 'userID': string }; query: undefined; body: undefined; answer: undefined }
  'DELETE /v2/operator/accounts/{account_id}/apps/{appID}/users/{userID}/sessions/{sessionID}': { path: { 'account_id': string; 'appID': string; 'userID': string; 'sessionID': string }; query: undefined; body: undefined; answer: undefined }
  'POST /v2/operator/accounts/{account_id}/apps/{appID}/users/{userID}/scopes': { path: { 'account_id': string; 'appID': string; 'userID': string }; query: undefined; body: ScopeInput; answer: ScopeGrant }
  'GET /v2/operator/projections': { path: undefined; query: undefined; body: undefined; answer: ProjectionList }
  'POST /v2/operator/projections/{name}/retry': { path: { 'name': string }; query: undefined; body: undefined; answer: ProjectionRetry }
  'GET /health/live': { path: undefined; query: undefined; body: undefined; answer: Liveness }
  'GET /health/ready': { path: undefined; query: undefined; body: undefined; answer: Readiness }
  'GET /metrics': { path: undefined; query: undefined; body: undefined; answer: undefined }
  'GET /openapi.json': { path: undefined; query: undefined; body: undefined; answer: Readonly<Record<string, unknown>> }
}
