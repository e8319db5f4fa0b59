"""Record linkage and scored attacks."""
