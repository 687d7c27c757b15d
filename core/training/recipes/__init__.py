"""The recipes of `python -m core.training`, by the word that names them; one file each."""

from core.training.recipes import adversary, fine_tune, language_model, sentiment, toy, translation
from core.training.recipes.course import CommandRecipe, Course

__all__ = ["RECIPES", "CommandRecipe", "Course"]

RECIPES: dict[str, CommandRecipe] = {
    recipe.name: recipe
    for recipe in (
        *toy.RECIPES,
        translation.RECIPE,
        sentiment.RECIPE,
        adversary.RECIPE,
        language_model.RECIPE,
        fine_tune.RECIPE,
    )
}
