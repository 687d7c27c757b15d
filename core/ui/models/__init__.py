"""The Models page: a checkpoint is brought, looked at, completed and opened, beside the models that are here."""
