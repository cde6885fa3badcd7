export type {Decision as CheckpointDecision} from '../../machines/policies/decisions.ts';
